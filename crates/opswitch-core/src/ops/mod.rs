//! The built-in op families: ordinary op traits, declared with the attribute that users have.

mod bool;
mod collective;
mod distribution;
mod float;
mod formulas;
mod int;
mod nn;
mod norm;
mod pad;
mod quantized;

pub use self::{
    bool::BoolOps,
    collective::{CollectiveOps, ReduceOp},
    distribution::Distribution,
    float::FloatOps,
    int::IntOps,
    nn::{CrossEntropy, NnOps, Reduction},
    norm::Norm,
    pad::PadMode,
    quantized::QuantizedOps,
};

/// The sum of the families that a model needs. Implemented by every backend that has them all.
pub trait CoreOps: FloatOps + NnOps {}

impl<B: FloatOps + NnOps> CoreOps for B {}
