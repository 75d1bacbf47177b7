//! `families = none` stands where backends are listed.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(families = none)]
pub trait ScaleOps: Backend {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
