//! A trait on a dispatch with `Autodiff` says what its gradients are.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, Autodiff)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl ScaleOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
