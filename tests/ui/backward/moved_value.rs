//! A value is used once in a formula, like any handle.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension]
pub trait ScaleOps: FloatOps {
    #[backward { x => B::float_add(grad, grad); }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
