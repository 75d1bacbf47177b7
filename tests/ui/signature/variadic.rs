//! An op has a fixed number of arguments.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    unsafe extern "C" fn concat(x: FloatTensor<Self>, ...) -> FloatTensor<Self>;
}

fn main() {}
