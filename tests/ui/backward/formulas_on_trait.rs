//! A trait has no formula.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
#[backward { x => grad; }]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
