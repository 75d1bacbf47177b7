//! What is computed again is the result of an op with formulas.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[op(memory_bound)]
    #[backward(none)]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
