//! `output` is what formulas call the result.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>, output: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
