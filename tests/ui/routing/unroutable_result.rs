//! A result of tensors derives `ExtensionType`.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

pub struct Split<B: Backend> {
    pub low: FloatTensor<B>,
    pub high: FloatTensor<B>,
}

#[backend_extension(Cpu)]
pub trait SplitOps: Backend {
    fn split(x: FloatTensor<Self>) -> Split<Self>;
}

impl SplitOps for Cpu {
    fn split(x: FloatTensor<Self>) -> Split<Self> {
        Split { low: x.clone(), high: x }
    }
}

fn main() {}
