//! A generic trait is added as a whole.

use opswitch::{Backend, FloatTensor, backend_extension, extend_dispatch};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub struct Dispatch;

#[backend_extension]
pub trait ScaleOps<T>: Backend {
    fn scale(x: FloatTensor<Self>, factor: T) -> FloatTensor<Self>;
}

extend_dispatch!(Dispatch: ScaleOps<f32>);

fn main() {}
