//! A trait without the attribute cannot be routed.

use opswitch::{Backend, FloatTensor, extend_dispatch};

pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

extend_dispatch!(opswitch::Dispatch: ScaleOps);

fn main() {}
