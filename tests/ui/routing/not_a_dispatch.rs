//! `dispatch = ` names a dispatch.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(dispatch = Cpu)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
