//! Shared statements come first.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward {
        lhs => grad;
        let twice = grad;
        rhs => twice;
    }]
    fn add(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
