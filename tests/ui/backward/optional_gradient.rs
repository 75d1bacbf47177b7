//! The formula of an `Option` yields what is in it.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward { x => grad; bias => Some(grad); }]
    fn shift(x: FloatTensor<Self>, bias: Option<FloatTensor<Self>>) -> FloatTensor<Self>;
}

fn main() {}
