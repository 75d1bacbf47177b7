//! An argument has a type, not a bound.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: impl Into<FloatTensor<Self>>) -> FloatTensor<Self>;
}

fn main() {}
