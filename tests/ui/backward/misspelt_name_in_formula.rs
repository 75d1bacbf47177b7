//! A name in a formula is looked up as anywhere.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension]
pub trait ScaleOps: FloatOps {
    #[backward { x => B::float_mul_scalar(gard, factor); }]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}

fn main() {}
