//! Automatic differentiation.
//!
//! [`Autodiff<B>`] is a backend whose float tensors may carry a node of a graph. The generated code records each call on
//! a [`Tape`](tape::Tape); [`walk`] goes backwards through the nodes.

mod backend;
mod between;
mod gradients;
mod graph;
mod inner;
mod inputs;
mod ops;
mod saved;
mod scope;
mod step;
mod tape;
mod tensor;
mod transfer;
mod walk;

#[doc(hidden)]
pub use self::{
    backend::TracksGradients,
    inner::Inner,
    inputs::{Describe, Differentiable, Gradient, NoFloats, Present},
    step::{Step, kept},
    tape::Tape,
    transfer::transfer_tracked,
};
pub use self::{
    backend::{Autodiff, AutodiffDevice},
    between::{GradientSource, GradientTarget, grad, gradients_between},
    gradients::Gradients,
    ops::{AutodiffOps, BackwardOptions},
    tensor::{AutodiffTensor, Checkpointing, Untracked},
};
