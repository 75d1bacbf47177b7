//! Ops over rows that are too long for one kernel, made of reductions that work in stages.

use crate::{
    backend::{FloatTensor, TensorHandle},
    ops::{FloatOps, formulas::in_wide},
};

/// ln(softmax(x)) along `dim`, as x - ln Σ e<sup>x</sup>: for backends whose kernel of the op takes rows up to some length, and
/// whose [`FloatOps::float_log_sum_exp`] takes all.
///
/// # Panics
///
/// If there is no such dimension.
#[track_caller]
pub fn staged_log_softmax<B: FloatOps>(x: FloatTensor<B>, dim: usize) -> FloatTensor<B> {
    in_wide::<B>(x, |x| {
        let total = B::float_log_sum_exp(x.clone(), &[dim], true);
        // An infinite element makes NaN of the whole row.
        let total = B::float_mask_fill(total.clone(), B::float_is_inf(total), f64::NAN);
        B::float_sub(x, total)
    })
}

/// ln Σ e<sup>x</sup> over `dims`, as m + ln Σ e<sup>x - m</sup> with the greatest element m: for backends whose kernel of the op
/// takes rows up to some length, and whose [`FloatOps::float_max`] and [`FloatOps::float_sum`] take all.
///
/// # Panics
///
/// If there are no such dimensions, or no elements in them.
#[track_caller]
pub fn staged_log_sum_exp<B: FloatOps>(x: FloatTensor<B>, dims: &[usize], keep_dims: bool) -> FloatTensor<B> {
    let shape = x.shape().reduced(dims, keep_dims);
    let total = in_wide::<B>(x, |x| {
        let greatest = B::float_max(x.clone(), dims, true);
        // An infinite maximum is the result, and would make NaN of the differences.
        let is_special = B::bool_not(B::float_is_finite(greatest.clone()));
        let shift = B::float_mask_fill(greatest.clone(), is_special.clone(), 0.0);
        let sum = B::float_sum(B::float_exp(B::float_sub(x, shift.clone())), dims, true);
        B::float_mask_where(B::float_add(shift, B::float_ln(sum)), is_special, greatest)
    });
    B::float_reshape(total, shape)
}
