//! `grad` is what formulas call the gradient.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(grad: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
