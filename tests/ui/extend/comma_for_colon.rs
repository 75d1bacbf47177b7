//! A colon follows the dispatch.

use opswitch::{Backend, FloatTensor, backend_extension, extend_dispatch};

extend_dispatch!(opswitch::Dispatch, ScaleOps);

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
