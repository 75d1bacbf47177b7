//! `dispatch = ` names a struct, not a trait.

use opswitch::{Backend, FloatTensor, backend_extension};

pub trait Base {}

#[backend_extension(dispatch = Base)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
