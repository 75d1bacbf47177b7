//! The ops of a library trait are there once the dispatch is extended.

use opswitch::{Backend, Dispatch, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

pub fn twice(x: FloatTensor<Dispatch>) -> FloatTensor<Dispatch> {
    Dispatch::scale(x)
}

fn main() {}
