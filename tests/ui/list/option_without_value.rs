//! An option has a value.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
