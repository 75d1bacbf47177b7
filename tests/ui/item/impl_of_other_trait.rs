//! The trait was declared without the attribute.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

#[backend_extension]
impl ScaleOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
