//! A trait is added to a dispatch once.

use opswitch::{Backend, FloatTensor, backend_extension, extend_dispatch};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub struct Dispatch;

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl ScaleOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

extend_dispatch!(Dispatch: ScaleOps);
extend_dispatch!(Dispatch: ScaleOps);

fn main() {}
