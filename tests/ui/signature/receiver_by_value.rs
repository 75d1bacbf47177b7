//! An op has no receiver, by value or else.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(self, x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
