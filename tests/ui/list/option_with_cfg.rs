//! Backends have conditions, options do not.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch = opswitch::Dispatch: cfg(unix))]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
