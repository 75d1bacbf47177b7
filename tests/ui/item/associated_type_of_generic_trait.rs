//! A generic trait of ops has no associated types.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait PlanOps<T>: Backend {
    type Plan: Clone + Send + Sync + 'static;

    fn plan(x: FloatTensor<Self>) -> Self::Plan;
}

fn main() {}
