//! A backend has a kernel for each op without a default body.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;

    fn shift(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl ScaleOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
