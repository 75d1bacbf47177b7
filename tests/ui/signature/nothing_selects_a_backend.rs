//! Some argument says on which backend the op runs.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(factor: f64, shape: &[usize]) -> FloatTensor<Self>;
}

fn main() {}
