//! Automatic differentiation.
//!
//! [`Autodiff<B>`] is a backend whose float tensors may carry a node of a graph. The generated code records each call on
//! a [`Tape`](tape::Tape); [`walk`] goes backwards through the nodes.

mod backend;
mod gradients;
mod graph;
mod inputs;
mod ops;
mod tape;
mod tensor;
mod transfer;
mod walk;

#[doc(hidden)]
pub use self::{
    backend::TracksGradients,
    inputs::{Describe, Differentiable, Gradient, NoFloats, Present},
    tape::{Arguments, Inner, Step, Tape, kept},
    transfer::transfer_tracked,
};
pub use self::{
    backend::{Autodiff, AutodiffDevice},
    gradients::Gradients,
    ops::{AutodiffOps, BackwardOptions},
    tensor::{AutodiffTensor, Checkpointing, Untracked},
};
