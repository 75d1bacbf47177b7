//! A reference is the whole argument or none of it.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn concat(xs: Vec<&FloatTensor<Self>>) -> FloatTensor<Self>;
}

fn main() {}
