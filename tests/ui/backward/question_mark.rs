//! A formula has no error to return.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension]
pub trait ScaleOps: FloatOps {
    #[backward { x => B::float_mul_scalar(grad, "2".parse()?); }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
