//! An option is written with `=`.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch: opswitch::Dispatch)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
