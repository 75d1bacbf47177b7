//! An op has one `#[backward]`.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward(none)]
    #[backward { x => grad; }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
