//! The backends of the dispatch have the kernels of the trait.

use opswitch::{Backend, FloatTensor, backend_extension, extend_dispatch};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub struct Dispatch;

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

extend_dispatch!(Dispatch: ScaleOps);

fn main() {}
