//! What is extended is a dispatch.

use opswitch::{Backend, FloatTensor, backend_extension, extend_dispatch};
use opswitch_cpu::Cpu;

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

extend_dispatch!(Cpu: ScaleOps);

fn main() {}
