//! Of two ops with one name, a call says which.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub struct Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub trait FastOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

#[backend_extension(dispatch = Dispatch)]
pub trait ExactOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl FastOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

impl ExactOps for Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

pub fn twice(x: FloatTensor<Dispatch>) -> FloatTensor<Dispatch> {
    <Dispatch as ExactOps>::scale(Dispatch::scale(x))
}

fn main() {}
