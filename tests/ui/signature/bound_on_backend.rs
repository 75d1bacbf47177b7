//! A type parameter is the same type for every backend.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward(none)]
    fn map<F: Fn(FloatTensor<Self>) -> f64>(x: FloatTensor<Self>, f: F) -> f64;
}

fn main() {}
