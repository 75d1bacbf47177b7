//! Softmax and losses.

use crate::{
    backend::{FloatTensor, IntTensor, TensorHandle},
    error::{ShapeError, raise},
    op_error::check_same_type,
    ops::{CrossEntropy, FloatOps, NnOps, Reduction},
    shape::Shape,
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

/// Checks that there is a target for each prediction.
#[track_caller]
fn check_target<B: FloatOps>(op: &'static str, input: &FloatTensor<B>, target: &FloatTensor<B>) {
    check_same_type(op, input, target);
    if input.shape() != target.shape() {
        let reason = "there is one target for each element";
        raise(&ShapeError::pair(op, &input.shape(), &target.shape(), reason));
    }
}

fn reduced<B: FloatOps>(losses: FloatTensor<B>, reduction: Reduction) -> FloatTensor<B> {
    let all: Vec<usize> = (0..losses.shape().rank()).collect();
    match reduction {
        Reduction::None => losses,
        Reduction::Mean => B::float_mean(losses, &all, false),
        Reduction::Sum => B::float_sum(losses, &all, false),
    }
}

/// The gradient of each loss before the reduction.
fn unreduced<B: FloatOps>(grad: FloatTensor<B>, shape: &Shape, reduction: Reduction) -> FloatTensor<B> {
    let grad = match reduction {
        Reduction::None => return grad,
        Reduction::Mean => B::float_div_scalar(grad, shape.num_elements() as f64),
        Reduction::Sum => grad,
    };
    B::float_expand(grad, shape.clone())
}

#[track_caller]
pub(in crate::ops) fn mse<B: FloatOps>(
    input: FloatTensor<B>,
    target: FloatTensor<B>,
    reduction: Reduction,
) -> FloatTensor<B> {
    check_target::<B>("mse", &input, &target);
    reduced::<B>(B::float_square(B::float_sub(input, target)), reduction)
}

/// max(x, 0) - x t + ln(1 + e<sup>-|x|</sup>)
#[track_caller]
pub(in crate::ops) fn binary_cross_entropy<B: FloatOps>(
    logits: FloatTensor<B>,
    target: FloatTensor<B>,
    reduction: Reduction,
) -> FloatTensor<B> {
    check_target::<B>("binary_cross_entropy_with_logits", &logits, &target);
    let linear = B::float_sub(B::relu(logits.clone()), B::float_mul(logits.clone(), target));
    let bent = B::softplus(B::float_neg(B::float_abs(logits)), 1.0);
    reduced::<B>(B::float_add(linear, bent), reduction)
}

/// sigmoid(x) - t
pub(in crate::ops) fn binary_cross_entropy_logits<B: FloatOps>(
    logits: FloatTensor<B>,
    target: FloatTensor<B>,
    grad: FloatTensor<B>,
    reduction: Reduction,
) -> FloatTensor<B> {
    let grad = unreduced::<B>(grad, &logits.shape(), reduction);
    B::float_mul(grad, B::float_sub(B::sigmoid(logits), target))
}

/// -x
pub(in crate::ops) fn binary_cross_entropy_target<B: FloatOps>(
    logits: FloatTensor<B>,
    grad: FloatTensor<B>,
    reduction: Reduction,
) -> FloatTensor<B> {
    let grad = unreduced::<B>(grad, &logits.shape(), reduction);
    B::float_neg(B::float_mul(grad, logits))
}
