//! What has no body cannot be differentiated through.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward(default)]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
