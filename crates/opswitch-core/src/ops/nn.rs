//! Neural-network ops.

use opswitch_macros::backend_extension;

use super::formulas;
use crate::{
    backend::{FloatTensor, IntTensor},
    ops::FloatOps,
};

/// What is made of the losses of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// One loss a sample.
    None,
    /// Their mean over the samples that count.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

/// How [`NnOps::cross_entropy`] weighs its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossEntropy {
    /// What is made of the losses of the samples.
    pub reduction: Reduction,
    /// A class whose samples do not count.
    pub ignore_index: Option<i64>,
    /// The share of the target that is spread evenly over all classes, in `0.0..=1.0`.
    pub label_smoothing: f64,
}

/// Normalisations and losses.
///
/// # Panics
///
/// Every op panics with a [`ShapeError`](crate::ShapeError) text, at the caller's line, if shapes or dimensions do not fit.
#[backend_extension(crate = crate)]
pub trait NnOps: FloatOps {
    /// e<sup>x</sup> / Σ e<sup>x</sup> along `dim`, without overflow.
    #[backward {
        x => formulas::softmax_backward::<B>(output, grad, dim);
    }]
    fn softmax(x: FloatTensor<Self>, dim: usize) -> FloatTensor<Self>;

    /// The logarithm of [`softmax`](Self::softmax), exact where that is close to 0.
    #[backward {
        x => formulas::log_softmax_backward::<B>(output, grad, dim);
    }]
    fn log_softmax(x: FloatTensor<Self>, dim: usize) -> FloatTensor<Self>;

    /// The cross-entropy between the softmax of `logits` over dimension 1 and the class indices of `target`, whose shape is
    /// that of `logits` without dimension 1.
    ///
    /// With `label_smoothing` s and C classes the loss of a sample is -(1 - s) ln p<sub>target</sub> - s/C Σ ln p
    /// (Szegedy et al. 2015). The mean is over the samples that are not ignored.
    #[backward(default)]
    fn cross_entropy(
        logits: FloatTensor<Self>,
        target: IntTensor<Self>,
        options: CrossEntropy,
    ) -> FloatTensor<Self> {
        formulas::cross_entropy::<Self>(logits, target, options)
    }
}
