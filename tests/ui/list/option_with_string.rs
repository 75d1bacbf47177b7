//! The value of an option is a path, not a string.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch = "Dispatch")]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
