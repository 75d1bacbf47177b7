// `backends = any` is the only value, and stands on a trait.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, backends = any)]
pub struct Dispatch;

#[backend_extension(backends = Cpu)]
pub trait OneOps: FloatOps {
    fn one(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

#[backend_extension(backends)]
pub trait OtherOps: FloatOps {
    fn other(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
