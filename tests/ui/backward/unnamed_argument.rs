//! An argument without a name has no formula.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward { x => grad; }]
    fn pick(x: FloatTensor<Self>, _: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
