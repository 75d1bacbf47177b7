//! A constant of a trait of ops has a value.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    const BLOCK: usize;

    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
