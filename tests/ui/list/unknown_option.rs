//! An unknown option, close to one that exists.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispach = opswitch::Dispatch)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
