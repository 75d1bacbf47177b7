// `Self` names no dispatch.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension(dispatch = Self)]
pub trait OneOps: FloatOps {
    fn one(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
