//! What the families' gradient formulas and default bodies share. All of it is made of routed ops, so that gradients
//! can be differentiated again.

use crate::{
    backend::{BoolTensor, FloatTensor, IntTensor, TensorHandle},
    error::{OrRaise, ShapeError},
    ops::{CrossEntropy, FloatOps, NnOps, Reduction},
    shape::{Shape, check_dims, check_expand},
    slice::Slice,
};

/// The permutation that undoes `axes`.
pub(super) fn inverse(axes: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; axes.len()];
    for (to, &from) in axes.iter().enumerate() {
        inverse[from] = to;
    }
    inverse
}

/// `x` summed over the dimensions in which `shape` was expanded.
#[track_caller]
pub(super) fn sum_to<B: FloatOps>(x: FloatTensor<B>, shape: Shape) -> FloatTensor<B> {
    let from = x.shape();
    if from == shape {
        return x;
    }
    check_expand("float_sum_to", &shape, &from).or_raise();
    let new_dims = from.rank().saturating_sub(shape.rank());
    let expanded = |dim: usize| dim < new_dims || (shape[dim - new_dims] == 1 && from[dim] != 1);
    let dims: Vec<usize> = (0..from.rank()).filter(|&dim| expanded(dim)).collect();
    B::float_reshape(B::float_sum(x, &dims, true), shape)
}

/// A reduced gradient repeated over `dims` to the `shape` before the reduction.
pub(super) fn spread<B: FloatOps>(grad: FloatTensor<B>, shape: &Shape, dims: &[usize]) -> FloatTensor<B> {
    B::float_expand(B::float_reshape(grad, shape.reduced(dims, true)), shape.clone())
}

/// `grad` cut along `dim` into pieces of these shapes.
pub(super) fn split<B: FloatOps>(grad: FloatTensor<B>, shapes: &[Shape], dim: usize) -> Vec<FloatTensor<B>> {
    let mut start = 0;
    let mut piece = |shape: &Shape| {
        let mut slices = vec![Slice::FULL; shape.rank()];
        slices[dim] = Slice::from(start..start + shape[dim] as isize);
        start += shape[dim] as isize;
        B::float_slice(grad.clone(), &slices)
    };
    shapes.iter().map(&mut piece).collect()
}

pub(super) fn one_minus<B: FloatOps>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_add_scalar(B::float_neg(x), 1.0)
}

pub(super) fn one_minus_square<B: FloatOps>(x: FloatTensor<B>) -> FloatTensor<B> {
    one_minus::<B>(B::float_square(x))
}

/// e<sup>-x²/scale</sup>
fn gaussian<B: FloatOps>(x: FloatTensor<B>, scale: f64) -> FloatTensor<B> {
    B::float_exp(B::float_div_scalar(B::float_square(x), -scale))
}

/// erf' = 2/sqrt(π) e<sup>-x²</sup>
pub(super) fn erf_backward<B: FloatOps>(x: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
    B::float_mul(grad, B::float_mul_scalar(gaussian::<B>(x, 1.0), std::f64::consts::FRAC_2_SQRT_PI))
}

/// gelu' = Φ(x) + x φ(x)
pub(super) fn gelu_backward<B: FloatOps>(x: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
    let erf = B::float_erf(B::float_mul_scalar(x.clone(), FRAC_1_SQRT_2));
    let distribution = B::float_mul_scalar(B::float_add_scalar(erf, 1.0), 0.5);
    let density = B::float_mul_scalar(gaussian::<B>(x.clone(), 2.0), FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0);
    B::float_mul(grad, B::float_add(distribution, B::float_mul(x, density)))
}

/// silu' = s (1 + x (1 - s)) with s = sigmoid(x)
pub(super) fn silu_backward<B: FloatOps>(x: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
    let sigmoid = B::sigmoid(x.clone());
    let slope = B::float_add_scalar(B::float_mul(x, one_minus::<B>(sigmoid.clone())), 1.0);
    B::float_mul(grad, B::float_mul(sigmoid, slope))
}

/// rhs lhs<sup>rhs - 1</sup>, and 0 where rhs is.
pub(super) fn powf_lhs<B: FloatOps>(
    lhs: FloatTensor<B>,
    rhs: FloatTensor<B>,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    let constant = B::float_eq_scalar(rhs.clone(), 0.0);
    let slope = B::float_mul(rhs.clone(), B::float_powf(lhs, B::float_sub_scalar(rhs, 1.0)));
    B::float_mask_fill(B::float_mul(grad, slope), constant, 0.0)
}

/// lhs<sup>rhs</sup> ln lhs, and 0 where lhs is 0 and rhs is not negative.
pub(super) fn powf_rhs<B: FloatOps>(
    lhs: FloatTensor<B>,
    rhs: FloatTensor<B>,
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    let shape = output.shape();
    let zero = B::float_eq_scalar(B::float_expand(lhs.clone(), shape.clone()), 0.0);
    let constant = B::bool_and(zero, B::float_ge_scalar(B::float_expand(rhs, shape), 0.0));
    B::float_mask_fill(B::float_mul(grad, B::float_mul(output, B::float_ln(lhs))), constant, 0.0)
}

/// x<sup>scalar</sup> has the slope scalar x<sup>scalar - 1</sup>, and 0 where the scalar is.
pub(super) fn powf_scalar<B: FloatOps>(
    x: FloatTensor<B>,
    scalar: f64,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    if scalar == 0.0 {
        return B::float_zeros(x.shape(), x.dtype(), &x.device());
    }
    B::float_mul(grad, B::float_mul_scalar(B::float_powf_scalar(x, scalar - 1.0), scalar))
}

/// As [`powf_scalar`], for an integer.
pub(super) fn powi_scalar<B: FloatOps>(
    x: FloatTensor<B>,
    scalar: i32,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    match scalar.checked_sub(1) {
        Some(exponent) if scalar != 0 => {
            B::float_mul(grad, B::float_mul_scalar(B::float_powi_scalar(x, exponent), f64::from(scalar)))
        }
        _ => powf_scalar::<B>(x, f64::from(scalar), grad),
    }
}

/// x / (x² + y²), and 0 at the origin.
pub(super) fn over_square_norm<B: FloatOps>(x: FloatTensor<B>, y: FloatTensor<B>) -> FloatTensor<B> {
    let norm = B::float_add(B::float_square(x.clone()), B::float_square(y));
    let origin = B::float_eq_scalar(norm.clone(), 0.0);
    B::float_mask_fill(B::float_div(x, norm), origin, 0.0)
}

/// The gradient where this side was chosen, half of it at a tie, 0 elsewhere.
pub(super) fn choose<B: FloatOps>(
    chosen: BoolTensor<B>,
    tie: BoolTensor<B>,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    let half = B::float_mul_scalar(grad.clone(), 0.5);
    B::float_mask_where(B::float_mask_fill(grad, B::bool_not(chosen), 0.0), tie, half)
}

/// The gradient of a reduction to the greatest or least, shared equally among the elements that are equal to it.
pub(super) fn share_among_equal<B: FloatOps>(
    x: FloatTensor<B>,
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dims: &[usize],
) -> FloatTensor<B> {
    let (shape, dtype) = (x.shape(), x.dtype());
    let equal = B::float_eq(x, spread::<B>(output, &shape, dims));
    let count = B::float_sum(B::bool_into_float(equal.clone(), dtype), dims, true);
    let share = B::float_div(B::float_reshape(grad, shape.reduced(dims, true)), count);
    B::float_mask_fill(B::float_expand(share, shape), B::bool_not(equal), 0.0)
}

/// `zeros` with the gradient of a reduction along `dim` at the indices that it chose.
pub(super) fn put_back<B: FloatOps>(
    zeros: FloatTensor<B>,
    index: IntTensor<B>,
    grad: FloatTensor<B>,
    dim: usize,
) -> FloatTensor<B> {
    let kept = zeros.shape().with_dim(dim, 1);
    B::float_scatter_add(zeros, dim, B::int_reshape(index, kept.clone()), B::float_reshape(grad, kept))
}

#[track_caller]
pub(super) fn mean<B: FloatOps>(x: FloatTensor<B>, dims: &[usize], keep_dims: bool) -> FloatTensor<B> {
    check_dims("float_mean", &x.shape(), dims).or_raise();
    let count: usize = dims.iter().map(|&dim| x.shape()[dim]).product();
    B::float_div_scalar(B::float_sum(x, dims, keep_dims), count as f64)
}

#[track_caller]
pub(super) fn var<B: FloatOps>(
    x: FloatTensor<B>,
    dims: &[usize],
    keep_dims: bool,
    correction: usize,
) -> FloatTensor<B> {
    check_dims("float_var", &x.shape(), dims).or_raise();
    let count: usize = dims.iter().map(|&dim| x.shape()[dim]).product();
    let deviation = B::float_sub(x.clone(), B::float_mean(x, dims, true));
    let squares = B::float_sum(B::float_square(deviation), dims, keep_dims);
    B::float_div_scalar(squares, count.saturating_sub(correction) as f64)
}

/// The gradient of ln Σ e<sup>x</sup> is the softmax. The output of large x is rounded to more than the softmax may be
/// off, so the weights are divided by their sum.
pub(super) fn log_sum_exp_backward<B: FloatOps>(
    x: FloatTensor<B>,
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dims: &[usize],
) -> FloatTensor<B> {
    let shape = x.shape();
    let weights = B::float_exp(B::float_sub(x, spread::<B>(output, &shape, dims)));
    let share = B::float_div(
        B::float_reshape(grad, shape.reduced(dims, true)),
        B::float_sum(weights.clone(), dims, true),
    );
    B::float_mul(share, weights)
}

/// A shape as a stack of matrices: a vector becomes a row on the left side of a product.
fn as_rows(shape: &Shape) -> Shape {
    if shape.rank() == 1 { [1, shape[0]].into() } else { shape.clone() }
}

/// A shape as a stack of matrices: a vector becomes a column on the right side of a product.
fn as_columns(shape: &Shape) -> Shape {
    if shape.rank() == 1 { [shape[0], 1].into() } else { shape.clone() }
}

/// The gradient of a matrix product as a stack of matrices, with the dimensions back that vectors lost.
fn product_grad<B: FloatOps>(grad: FloatTensor<B>, lhs: &Shape, rhs: &Shape) -> FloatTensor<B> {
    if lhs.rank() > 1 && rhs.rank() > 1 {
        return grad;
    }
    let mut shape = grad.shape().to_vec();
    if rhs.rank() == 1 {
        shape.push(1);
    }
    if lhs.rank() == 1 {
        shape.insert(shape.len() - 1, 1);
    }
    B::float_reshape(grad, shape.into())
}

/// d(lhs rhs)/d lhs: grad rhsᵀ, summed over the batch dimensions in which the left side was broadcast.
pub(super) fn matmul_lhs<B: FloatOps>(
    grad: FloatTensor<B>,
    rhs: FloatTensor<B>,
    lhs: &Shape,
) -> FloatTensor<B> {
    let grad = product_grad::<B>(grad, lhs, &rhs.shape());
    let columns = as_columns(&rhs.shape());
    let rhs = B::float_transpose(B::float_reshape(rhs, columns));
    B::float_reshape(sum_to::<B>(B::float_matmul(grad, rhs), as_rows(lhs)), lhs.clone())
}

/// d(lhs rhs)/d rhs: lhsᵀ grad, summed over the batch dimensions in which the right side was broadcast.
pub(super) fn matmul_rhs<B: FloatOps>(
    grad: FloatTensor<B>,
    lhs: FloatTensor<B>,
    rhs: &Shape,
) -> FloatTensor<B> {
    let grad = product_grad::<B>(grad, &lhs.shape(), rhs);
    let rows = as_rows(&lhs.shape());
    let lhs = B::float_transpose(B::float_reshape(lhs, rows));
    B::float_reshape(sum_to::<B>(B::float_matmul(lhs, grad), as_columns(rhs)), rhs.clone())
}

/// y (grad - Σ grad y) for y = softmax(x)
pub(super) fn softmax_backward<B: FloatOps>(
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dim: usize,
) -> FloatTensor<B> {
    let sum = B::float_sum(B::float_mul(grad.clone(), output.clone()), &[dim], true);
    B::float_mul(output, B::float_sub(grad, sum))
}

/// grad - softmax(x) Σ grad, with softmax(x) the exponential of the output
pub(super) fn log_softmax_backward<B: FloatOps>(
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dim: usize,
) -> FloatTensor<B> {
    let sum = B::float_sum(grad.clone(), &[dim], true);
    B::float_sub(grad, B::float_mul(B::float_exp(output), sum))
}

#[track_caller]
pub(super) fn cross_entropy<B: NnOps>(
    logits: FloatTensor<B>,
    target: IntTensor<B>,
    options: CrossEntropy,
) -> FloatTensor<B> {
    let (shape, dtype) = (logits.shape(), logits.dtype());
    if shape.rank() < 2 || shape.clone().without_dim(1) != target.shape() {
        let reason = "the target has the shape of the logits without dimension 1, which holds the classes";
        Err::<(), _>(ShapeError::pair("cross_entropy", &shape, &target.shape(), reason)).or_raise();
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
