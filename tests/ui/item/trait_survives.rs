//! A trait with a mistake is still a trait for everything that names it.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward { y => grad; }]
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

pub fn twice<B: ScaleOps>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::scale(B::scale(x))
}

impl ScaleOps for opswitch_cpu::Cpu {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

fn main() {}
