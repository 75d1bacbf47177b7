//! An op takes no pointer to a tensor.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: *const FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
