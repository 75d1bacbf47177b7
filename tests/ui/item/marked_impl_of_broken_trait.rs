//! A mistake in the trait is no mistake of its implementation.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward(never)]
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

#[backend_extension]
impl ScaleOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
