//! The attribute sees what is written, not what a macro makes of it.

use opswitch::{Backend, FloatTensor, backend_extension};

macro_rules! ops {
    () => {
        fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
    };
}

#[backend_extension]
pub trait ScaleOps: Backend {
    ops!();
}

fn main() {}
