//! An argument is a name, not a pattern.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn add((x, y): (FloatTensor<Self>, FloatTensor<Self>)) -> FloatTensor<Self>;
}

fn main() {}
