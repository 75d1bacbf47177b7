//! A listed backend has the kernels of the trait.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
