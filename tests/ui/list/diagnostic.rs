//! `diagnostic` has one value.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(diagnostic = off)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
