//! A trait names a dispatch or declares one.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(dispatch = opswitch::Dispatch, Cpu)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
