//! A result is a type, not a bound.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn rows(x: FloatTensor<Self>) -> impl Iterator<Item = FloatTensor<Self>>;
}

fn main() {}
