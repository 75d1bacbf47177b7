//! A value of an associated type is kept for backward passes, and sent to other threads.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait PlanOps: Backend {
    type Plan: Clone;

    fn plan(x: FloatTensor<Self>) -> Self::Plan;
}

fn main() {}
