//! Elementwise ops.

use crate::{
    backend::{BoolTensor, FloatTensor, TensorHandle},
    ops::FloatOps,
};

pub(in crate::ops) fn one_minus<B: FloatOps>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_add_scalar(B::float_neg(x), 1.0)
}

pub(in crate::ops) fn one_minus_square<B: FloatOps>(x: FloatTensor<B>) -> FloatTensor<B> {
    one_minus::<B>(B::float_square(x))
}

/// e<sup>-x²/scale</sup>
fn gaussian<B: FloatOps>(x: FloatTensor<B>, scale: f64) -> FloatTensor<B> {
    B::float_exp(B::float_div_scalar(B::float_square(x), -scale))
}

/// erf' = 2/sqrt(π) e<sup>-x²</sup>
pub(in crate::ops) fn erf_backward<B: FloatOps>(x: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
    B::float_mul(grad, B::float_mul_scalar(gaussian::<B>(x, 1.0), std::f64::consts::FRAC_2_SQRT_PI))
}

/// gelu' = Φ(x) + x φ(x)
pub(in crate::ops) fn gelu_backward<B: FloatOps>(x: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
    let erf = B::float_erf(B::float_mul_scalar(x.clone(), FRAC_1_SQRT_2));
    let distribution = B::float_mul_scalar(B::float_add_scalar(erf, 1.0), 0.5);
    let density = B::float_mul_scalar(gaussian::<B>(x.clone(), 2.0), FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0);
    B::float_mul(grad, B::float_add(distribution, B::float_mul(x, density)))
}

/// silu' = s (1 + x (1 - s)) with s = sigmoid(x)
pub(in crate::ops) fn silu_backward<B: FloatOps>(x: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
    let sigmoid = B::sigmoid(x.clone());
    let slope = B::float_add_scalar(B::float_mul(x, one_minus::<B>(sigmoid.clone())), 1.0);
    B::float_mul(grad, B::float_mul(sigmoid, slope))
}

/// rhs lhs<sup>rhs - 1</sup>, and 0 where rhs is.
pub(in crate::ops) fn powf_lhs<B: FloatOps>(
    lhs: FloatTensor<B>,
    rhs: FloatTensor<B>,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    let constant = B::float_eq_scalar(rhs.clone(), 0.0);
    let slope = B::float_mul(rhs.clone(), B::float_powf(lhs, B::float_sub_scalar(rhs, 1.0)));
    B::float_mask_fill(B::float_mul(grad, slope), constant, 0.0)
}

/// lhs<sup>rhs</sup> ln lhs, and 0 where lhs is 0 and rhs is not negative.
pub(in crate::ops) fn powf_rhs<B: FloatOps>(
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
pub(in crate::ops) fn powf_scalar<B: FloatOps>(
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
pub(in crate::ops) fn powi_scalar<B: FloatOps>(
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
pub(in crate::ops) fn over_square_norm<B: FloatOps>(x: FloatTensor<B>, y: FloatTensor<B>) -> FloatTensor<B> {
    let norm = B::float_add(B::float_square(x.clone()), B::float_square(y));
    let origin = B::float_eq_scalar(norm.clone(), 0.0);
    B::float_mask_fill(B::float_div(x, norm), origin, 0.0)
}

/// The gradient where this side was chosen, half of it at a tie, 0 elsewhere.
pub(in crate::ops) fn choose<B: FloatOps>(
    chosen: BoolTensor<B>,
    tie: BoolTensor<B>,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    let half = B::float_mul_scalar(grad.clone(), 0.5);
    B::float_mask_where(B::float_mask_fill(grad, B::bool_not(chosen), 0.0), tie, half)
}
