//! A misspelt dispatch in a path.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch = opswitch::Dispach)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
