//! An op returns a tensor, not a reference to one.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn same(x: &FloatTensor<Self>) -> &FloatTensor<Self>;
}

fn main() {}
