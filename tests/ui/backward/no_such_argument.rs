//! A formula is for an argument of the op.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward { weight => grad; }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
