//! A dispatch has an enum for an associated type, which can implement what can be derived.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait PlanOps: Backend {
    type Plan: Clone + Send + Sync + std::fmt::Display + 'static;

    fn plan(x: FloatTensor<Self>) -> Self::Plan;
}

fn main() {}
