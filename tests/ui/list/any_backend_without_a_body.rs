// With `backends = any` the bodies of ops are their kernels.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension(backends = any)]
pub trait AnyOps: FloatOps {
    fn square(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
