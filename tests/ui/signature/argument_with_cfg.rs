//! An argument is there in every build.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>, #[cfg(unix)] factor: f64) -> FloatTensor<Self>;
}

fn main() {}
