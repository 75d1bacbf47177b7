//! A backend is a type, not a value.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>, backend: Self) -> FloatTensor<Self>;
}

fn main() {}
