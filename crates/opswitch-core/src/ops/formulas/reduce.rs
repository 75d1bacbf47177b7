//! Reductions.

use super::spread;
use crate::{
    backend::{FloatTensor, IntTensor, TensorHandle},
    error::OrRaise,
    ops::FloatOps,
    shape::check_dims,
};

/// The gradient of a reduction to the greatest or least, shared equally among the elements that are equal to it.
pub(in crate::ops) fn share_among_equal<B: FloatOps>(
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
pub(in crate::ops) fn put_back<B: FloatOps>(
    zeros: FloatTensor<B>,
    index: IntTensor<B>,
    grad: FloatTensor<B>,
    dim: usize,
) -> FloatTensor<B> {
    let kept = zeros.shape().with_dim(dim, 1);
    B::float_scatter_add(zeros, dim, B::int_reshape(index, kept.clone()), B::float_reshape(grad, kept))
}

#[track_caller]
pub(in crate::ops) fn mean<B: FloatOps>(
    x: FloatTensor<B>,
    dims: &[usize],
    keep_dims: bool,
) -> FloatTensor<B> {
    check_dims("float_mean", &x.shape(), dims).or_raise();
    let count: usize = dims.iter().map(|&dim| x.shape()[dim]).product();
    B::float_div_scalar(B::float_sum(x, dims, keep_dims), count as f64)
}

#[track_caller]
pub(in crate::ops) fn var<B: FloatOps>(
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
pub(in crate::ops) fn log_sum_exp_backward<B: FloatOps>(
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
