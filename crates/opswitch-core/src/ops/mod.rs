//! The built-in op families: ordinary op traits, declared with the attribute that users have.

mod attention_mask;
mod bool;
mod collective;
mod conv;
mod distribution;
mod float;
mod formulas;
mod int;
mod interpolate;
mod nn;
mod norm;
mod pad;
mod pool;
mod quantized;
mod staged;

pub use self::{
    attention_mask::AttentionMask,
    bool::BoolOps,
    collective::{CollectiveOps, ReduceOp},
    conv::{ConvOptions, ConvTransposeOptions, Convolution},
    distribution::Distribution,
    float::FloatOps,
    int::IntOps,
    interpolate::InterpolateMode,
    nn::{CrossEntropy, NnOps, Reduction},
    norm::Norm,
    pad::PadMode,
    pool::{AvgPoolOptions, MaxPoolOptions, PoolWindows},
    quantized::QuantizedOps,
    staged::{staged_log_softmax, staged_log_sum_exp},
};

/// The sum of the families that a model needs. Implemented by every backend that has them all.
pub trait CoreOps: FloatOps + NnOps {}

impl<B: FloatOps + NnOps> CoreOps for B {}
