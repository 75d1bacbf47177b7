//! `#[backward(..)]` takes `none` or `default`.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward(nnoe)]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
