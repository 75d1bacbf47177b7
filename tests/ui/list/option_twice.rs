//! An option is given once.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch = opswitch::Dispatch, dispatch = opswitch::Dispatch)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
