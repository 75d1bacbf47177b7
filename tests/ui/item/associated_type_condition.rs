//! An associated type is there in every build.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait PlanOps: Backend {
    #[cfg(unix)]
    type Plan: Clone + Send + Sync + 'static;

    #[cfg(unix)]
    fn plan(x: FloatTensor<Self>) -> Self::Plan;
}

fn main() {}
