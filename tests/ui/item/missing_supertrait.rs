//! A trait of ops is one of backends.

use opswitch::{FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps {
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
