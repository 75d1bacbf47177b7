//! Softmax and losses.

use crate::{
    backend::{FloatTensor, IntTensor, TensorHandle},
    error::{ShapeError, raise},
    ops::{CrossEntropy, FloatOps, NnOps, Reduction},
};

/// y (grad - Σ grad y) for y = softmax(x)
pub(in crate::ops) fn softmax_backward<B: FloatOps>(
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dim: usize,
) -> FloatTensor<B> {
    let sum = B::float_sum(B::float_mul(grad.clone(), output.clone()), &[dim], true);
    B::float_mul(output, B::float_sub(grad, sum))
}

/// grad - softmax(x) Σ grad, with softmax(x) the exponential of the output
pub(in crate::ops) fn log_softmax_backward<B: FloatOps>(
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dim: usize,
) -> FloatTensor<B> {
    let sum = B::float_sum(grad.clone(), &[dim], true);
    B::float_sub(grad, B::float_mul(B::float_exp(output), sum))
}

#[track_caller]
pub(in crate::ops) fn cross_entropy<B: NnOps>(
    logits: FloatTensor<B>,
    target: IntTensor<B>,
    options: CrossEntropy,
) -> FloatTensor<B> {
    let (shape, dtype) = (logits.shape(), logits.dtype());
    if shape.rank() < 2 || shape.clone().without_dim(1) != target.shape() {
        let reason = "the target has the shape of the logits without dimension 1, which holds the classes";
        raise(&ShapeError::pair("cross_entropy", &shape, &target.shape(), reason));
    }
    let ignored = options.ignore_index.map(|class| B::int_eq_scalar(target.clone(), class));
    let target = match &ignored {
        Some(ignored) => B::int_mask_fill(target, ignored.clone(), 0),
        None => target,
    };
    let losses = sample_losses::<B>(B::log_softmax(logits, 1), target, options.label_smoothing);
    let losses = match &ignored {
        Some(ignored) => B::float_mask_fill(losses, ignored.clone(), 0.0),
        None => losses,
    };
    let all: Vec<usize> = (0..losses.shape().rank()).collect();
    match (options.reduction, ignored) {
        (Reduction::None, _) => losses,
        (Reduction::Sum, _) => B::float_sum(losses, &all, false),
        (Reduction::Mean, None) => B::float_mean(losses, &all, false),
        (Reduction::Mean, Some(ignored)) => {
            let counted = B::bool_into_int(B::bool_not(ignored), B::int_dtype(&losses.device()));
            let count = B::int_into_float(B::int_sum(counted, &all, false), dtype);
            B::float_div(B::float_sum(losses, &all, false), count)
        }
    }
}

/// -(1 - s) ln p<sub>target</sub> - s/C Σ ln p for each sample
#[track_caller]
fn sample_losses<B: FloatOps>(log_p: FloatTensor<B>, target: IntTensor<B>, smoothing: f64) -> FloatTensor<B> {
    let shape = log_p.shape();
    let (column, flat) = (shape.clone().with_dim(1, 1), shape.clone().without_dim(1));
    let picked = B::float_gather(log_p.clone(), 1, B::int_reshape(target, column));
    let nll = B::float_neg(B::float_reshape(picked, flat));
    if smoothing == 0.0 {
        return nll;
    }
    let uniform = B::float_sum(log_p, &[1], false);
    B::float_sub(
        B::float_mul_scalar(nll, 1.0 - smoothing),
        B::float_mul_scalar(uniform, smoothing / shape[1] as f64),
    )
}
