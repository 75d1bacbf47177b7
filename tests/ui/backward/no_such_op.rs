//! An op that a formula calls exists.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension]
pub trait ScaleOps: FloatOps {
    #[backward { x => B::float_mul_scaler(grad, factor); }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
