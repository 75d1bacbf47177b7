//! An op changes no tensor in place, of several neither.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(xs: &mut [FloatTensor<Self>]);
}

fn main() {}
