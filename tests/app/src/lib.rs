//! An app: it lists its backends, adds the ops of a library to its own dispatch, and trains a model through them.
//!
//! None of the three crates knows of another: the app alone names the backend `acme-npu` and the op library `flash`.

mod length;
mod model;

use opswitch::{Float, backend_extension, extend_dispatch};

pub use self::{
    length::Length,
    model::{Model, Step},
};

/// What this app computes on.
#[backend_extension(
    Cpu = opswitch_cpu::Cpu,
    Npu = acme_npu::Npu: cfg(feature = "npu"),
    Autodiff,
)]
pub struct Dispatch;

extend_dispatch!(Dispatch: flash::FlashOps, flash::PlanOps, flash::ScaleOps);

/// A float tensor of this app.
pub type Tensor<const D: usize> = opswitch::Tensor<D, Float, Dispatch>;
