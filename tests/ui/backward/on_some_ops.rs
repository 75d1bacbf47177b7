//! Either every op of a trait says what its gradient is, or none does.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward { x => grad; }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;

    fn shift(x: FloatTensor<Self>, by: f64) -> FloatTensor<Self>;
}

fn main() {}
