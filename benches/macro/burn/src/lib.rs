//! Burn's side of `cargo xtask bench macro`: a trait of ops on three backends that build on any machine.
#![allow(unused_imports, reason = "the variants need some of these each")]

use burn::backend::{
    Autodiff, Backend, Capture, Dispatch, Flex, Group,
    autodiff::{
        NodeId,
        checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
        grads::Gradients,
        ops::{Backward, Ops as BackwardOps, OpsKind},
    },
    backend_extension,
    ops::FloatTensorOps,
    tensor::FloatTensor,
};

include!(concat!(env!("OUT_DIR"), "/ops.rs"));
