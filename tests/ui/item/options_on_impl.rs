//! The ops are routed where the trait says.

use opswitch::{Backend, Dispatch, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(dispatch = Dispatch)]
#[backward(none)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

#[backend_extension(dispatch = Dispatch)]
impl ScaleOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
