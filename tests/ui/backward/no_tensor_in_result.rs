//! A gradient comes back from a tensor.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward { x => grad; }]
    fn norm(x: FloatTensor<Self>) -> f64;
}

fn main() {}
