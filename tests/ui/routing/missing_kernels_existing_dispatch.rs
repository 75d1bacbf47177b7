//! The backends of an existing dispatch have the kernels of the trait.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch = opswitch::Dispatch)]
pub trait ScaleOps: Backend {
    #[backward { x => grad; }]
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

fn main() {}
