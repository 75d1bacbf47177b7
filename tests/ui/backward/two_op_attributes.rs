//! An op has one `#[op]`.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[op(memory_bound)]
    #[op(memory_bound)]
    #[backward { x => grad; }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
