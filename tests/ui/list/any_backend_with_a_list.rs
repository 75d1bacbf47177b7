// `backends = any` is for a library, which names no dispatch and no backend.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;

#[backend_extension(dispatch = opswitch::Dispatch, backends = any)]
pub trait OneOps: FloatOps {
    fn one(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

#[backend_extension(Cpu, backends = any)]
pub trait OtherOps: FloatOps {
    fn other(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
