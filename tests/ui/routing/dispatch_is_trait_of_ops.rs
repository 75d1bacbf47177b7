//! `dispatch = ` names a struct, not another trait of ops.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait BaseOps: Backend {
    fn shift(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

#[backend_extension(dispatch = BaseOps)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
