//! A float inside a container has a formula too.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[backward {
        x => grad;
    }]
    fn add(x: FloatTensor<Self>, rest: Vec<Option<FloatTensor<Self>>>) -> FloatTensor<Self>;
}

fn main() {}
