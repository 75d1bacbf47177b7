//! Dropout.

use crate::{
    backend::{FloatTensor, TensorHandle},
    error::raise,
    op_error::OpError,
    ops::{Distribution, FloatOps},
};

#[track_caller]
pub(in crate::ops) fn dropout<B: FloatOps>(x: FloatTensor<B>, probability: f64) -> FloatTensor<B> {
    if !(0.0..=1.0).contains(&probability) {
        raise(&OpError::Parameter { op: "dropout", reason: "the probability is a number in 0..=1" });
    }
    if probability == 0.0 {
        return x;
    }
    let (shape, dtype, device) = (x.shape(), x.dtype(), x.device());
    if probability == 1.0 {
        return B::float_mask_fill(x, B::bool_full(shape, true, &device), 0.0);
    }
    let dropped = B::float_random(shape, Distribution::Bernoulli { probability }, dtype, &device);
    let kept = B::float_mul_scalar(x, 1.0 / (1.0 - probability));
    B::float_mask_fill(kept, B::float_into_bool(dropped), 0.0)
}
