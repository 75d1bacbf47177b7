//! A function over tensors cannot cross backends.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn map(x: FloatTensor<Self>, f: &dyn Fn(FloatTensor<Self>) -> FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
