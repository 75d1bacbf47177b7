// With `backends = any` the library says what its types are, and their ops have gradients of their own.

use opswitch::{Device, FloatTensor, backend_extension, ops::FloatOps};

#[backend_extension(backends = any)]
pub trait OneOps: FloatOps {
    type Plan: Clone + Send + Sync + 'static;

    fn plan(_: &Device<Self>) -> Self::Plan {
        todo!()
    }
}

#[backend_extension(backends = any)]
pub trait OtherOps: FloatOps {
    type Plan: Clone + Send + Sync + 'static = usize;

    #[backward(default)]
    fn run(x: FloatTensor<Self>, plan: Self::Plan) -> FloatTensor<Self> {
        let _ = plan;
        x
    }
}

fn main() {}
