//! `Autodiff` needs a backend to wrap, on a trait.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(Autodiff)]
pub trait ScaleOps: Backend {
    #[backward { x => grad; }]
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
