//! An associated type has no parameters.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait PlanOps: Backend {
    type Plan<T>: Clone + Send + Sync + 'static;

    fn plan(x: FloatTensor<Self>) -> Self::Plan<f32>;
}

fn main() {}
