//! Elements of 16 bits: what a gradient adds up is wider, against sums that are exact.

use opswitch::{
    DType, Dispatch,
    ops::{FloatOps as _, NnOps as _, Norm, PadMode},
};

use super::{CREATE, Float, backward, backward_with, constant, grad, grad_of, require_grad, sum, values};

/// A tensor of an autodiff device whose elements are rounded to `dtype`.
fn half(dtype: DType, values: &[f64], shape: &[usize]) -> Float {
    Dispatch::float_cast(constant(values, shape), dtype)
}

/// The gradient in `x` of what `op` makes of it, weighed with `cotangent`.
#[track_caller]
fn gradient(op: impl Fn(Float) -> Float, x: Float, cotangent: Float) -> Vec<f64> {
    let x = require_grad(x);
    let weighed = Dispatch::float_mul(op(x.clone()), cotangent);
    grad(&x, &backward(&sum(weighed)))
}

// In bf16, 256 + 1 is 256.

#[test]
fn a_border_in_two_dimensions() {
    let x = half(DType::BF16, &[0.5], &[1, 1]);
    let cotangent = half(DType::BF16, &[256.0, 1.0, -256.0, 0.0], &[2, 2]);
    let pad = |x| Dispatch::float_pad(x, &[(1, 0), (1, 0)], PadMode::Replicate);
    assert_eq!(gradient(pad, x, cotangent), [1.0]);
}

#[test]
fn a_cumulative_product() {
    let x = half(DType::BF16, &[1.0; 3], &[3]);
    let cotangent = half(DType::BF16, &[1.0, 256.0, -256.0], &[3]);
    assert_eq!(gradient(|x| Dispatch::float_cumprod(x, 0), x, cotangent), [1.0, 0.0, -256.0]);
}

#[test]
fn attention() {
    // Both keys weigh 1/2. Their values times the cotangent are 257 and 256, so that the scores have the gradients 1/4 and -1/4.
    let query = half(DType::BF16, &[0.0], &[1, 1]);
    let attend = |query| {
        let key = half(DType::BF16, &[4.0, 0.0], &[2, 1]);
        let value = half(DType::BF16, &[256.0, 1.0, 256.0, 0.0], &[2, 2]);
        Dispatch::scaled_dot_product_attention(query, key, value, None, false, Some(1.0))
    };
    assert_eq!(gradient(attend, query, half(DType::BF16, &[1.0, 1.0], &[1, 2])), [1.0]);
}

#[test]
fn the_second_derivative_of_a_small_norm() {
    let x = require_grad(half(DType::F16, &[2f64.powi(-12)], &[1]));
    let norm = Dispatch::float_norm(x.clone(), &[0], false, Norm::L2);
    let slope = grad_of(&x, &backward_with(&norm, CREATE)).expect("a gradient");
    assert_eq!(values(&slope), [1.0]);
    // 1 / norm² is 2²⁴, beyond f16.
    assert_eq!(grad(&x, &backward(&slope)), [0.0]);
}
