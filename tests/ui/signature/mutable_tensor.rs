//! An op changes no tensor in place.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(x: &mut FloatTensor<Self>);
}

fn main() {}
