//! The attribute stands on the trait, not on one of its functions.

use opswitch::{Backend, FloatTensor, backend_extension};

pub trait ScaleOps: Backend {
    #[backend_extension]
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
