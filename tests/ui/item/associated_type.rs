//! A trait of ops has no associated types.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    type Plan;

    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
