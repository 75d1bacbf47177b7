//! Norms.

use super::{
    share_among_equal, spread,
    width::{in_wide, narrow, wide},
};
use crate::{
    backend::{FloatTensor, TensorHandle},
    error::OrRaise,
    ops::{FloatOps, Norm},
    shape::{check_dims, check_some},
};

#[track_caller]
pub(in crate::ops) fn norm<B: FloatOps>(
    x: FloatTensor<B>,
    dims: &[usize],
    keep_dims: bool,
    p: Norm,
) -> FloatTensor<B> {
    check_dims("float_norm", &x.shape(), dims).or_raise();
    match p {
        Norm::L1 => B::float_sum(B::float_abs(x), dims, keep_dims),
        Norm::L2 => in_wide::<B>(x, |x| euclidean::<B>(x, dims, keep_dims)),
        Norm::Infinity => {
            check_some("float_norm", &x.shape(), dims).or_raise();
            B::float_max(B::float_abs(x), dims, keep_dims)
        }
    }
}

/// sqrt(Σ x²) of elements that are divided by the greatest, so that no square leaves the range of the type.
fn euclidean<B: FloatOps>(x: FloatTensor<B>, dims: &[usize], keep_dims: bool) -> FloatTensor<B> {
    let root =
        |x: FloatTensor<B>, keep_dims| B::float_sqrt(B::float_sum(B::float_square(x), dims, keep_dims));
    if x.shape().num_elements() == 0 {
        return root(x, keep_dims);
    }
    let greatest = B::float_max(B::float_abs(x.clone()), dims, true);
    let is_no_scale = B::bool_or(
        B::float_eq_scalar(greatest.clone(), 0.0),
        B::bool_not(B::float_is_finite(greatest.clone())),
    );
    let scale = B::float_mask_fill(greatest, is_no_scale, 1.0);
    let norm = B::float_mul(root(B::float_div(x.clone(), scale.clone()), true), scale);
    B::float_reshape(norm, x.shape().reduced(dims, keep_dims))
}

/// The gradient is the sign for the sum of magnitudes, x / norm for the Euclidean norm, and the sign shared among the greatest
/// for the maximum; 0 where all elements are.
pub(in crate::ops) fn norm_backward<B: FloatOps>(
    x: FloatTensor<B>,
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dims: &[usize],
    p: Norm,
) -> FloatTensor<B> {
    let shape = x.shape();
    match p {
        Norm::L1 => B::float_mul(spread::<B>(grad, &shape, dims), B::float_sign(x)),
        Norm::L2 => {
            let (kept, dtype) = (shape.reduced(dims, true), x.dtype());
            let [x, output, grad] = [x, output, grad].map(wide::<B>);
            let (norm, grad) = (B::float_reshape(output, kept.clone()), B::float_reshape(grad, kept));
            let is_zero = B::float_eq_scalar(norm.clone(), 0.0);
            // The mask of the quotient has a derivative of 0 where the norm is, if it is not made of a division by 0.
            let quotient = B::float_div(grad, B::float_mask_fill(norm, is_zero.clone(), 1.0));
            narrow::<B>(B::float_mul(x, B::float_mask_fill(quotient, is_zero, 0.0)), dtype)
        }
        Norm::Infinity => {
            let share = share_among_equal::<B>(B::float_abs(x.clone()), output, grad, dims);
            B::float_mul(share, B::float_sign(x))
        }
    }
}
