//! The built-in op families: ordinary op traits, declared with the attribute that users have.

mod attention_mask;
mod bool;
mod collective;
mod distribution;
mod float;
mod formulas;
mod int;
mod nn;
mod pad;
mod quantized;

pub use self::{
    attention_mask::AttentionMask,
    bool::BoolOps,
    collective::{CollectiveOps, ReduceOp},
    distribution::Distribution,
    float::FloatOps,
    int::IntOps,
    nn::{CrossEntropy, NnOps, Reduction},
    pad::PadMode,
    quantized::QuantizedOps,
};

/// The sum of the families that a model needs. Implemented by every backend that has them all.
pub trait CoreOps: FloatOps + NnOps {}

impl<B: FloatOps + NnOps> CoreOps for B {}
