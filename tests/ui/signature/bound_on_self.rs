//! An op asks no more of the backend than its trait does.

use opswitch::{FloatTensor, backend_extension, ops::{CoreOps, FloatOps}};

#[backend_extension]
pub trait SoftOps: FloatOps {
    fn soft(x: FloatTensor<Self>) -> FloatTensor<Self>
    where
        Self: CoreOps;
}

fn main() {}
