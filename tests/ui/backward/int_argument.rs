//! An integer tensor has no gradient.

use opswitch::{Backend, FloatTensor, IntTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward {
        x => grad;
        indices => grad;
    }]
    fn pick(x: FloatTensor<Self>, indices: IntTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
