//! A trait has no `#[op(..)]`.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
#[op(memory_bound)]
pub trait ScaleOps: Backend {
    #[backward { x => grad; }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
