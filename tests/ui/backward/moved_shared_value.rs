//! What a shared statement makes is used once, or cloned.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension]
pub trait ScaleOps: FloatOps {
    #[backward { let negated = B::float_neg(grad); lhs => negated; rhs => negated; }]
    fn add(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
