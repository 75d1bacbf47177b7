//! An associated type has no lifetime.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    type Plan<'a>: Clone + Send + Sync + 'static
    where
        Self: 'a;

    fn plan(x: FloatTensor<Self>) -> Self::Plan<'static>;
}

fn main() {}
