//! Exponentials, logarithms and what is made of them.

use cubecl::prelude::*;

use super::{INFINITY_BITS, SIGN_BIT, at_least, is_nan, magnitude, nan, with_sign};

/// e<sup>x</sup> - 1, exact near 0: the series, and the difference where that loses no digits.
#[cube]
pub(crate) fn exp_m1(x: f32) -> f32 {
    let mut series = x * 2.7557319e-6f32 + 2.4801587e-5f32;
    series = series * x + 1.984127e-4f32;
    series = series * x + 1.3888889e-3f32;
    series = series * x + 8.3333333e-3f32;
    series = series * x + 4.1666667e-2f32;
    series = series * x + 1.6666667e-1f32;
    series = series * x + 0.5f32;
    series = series * x * x + x;
    let near = select(x == 0.0f32, x, series);
    select(magnitude(x) < 0.5f32, near, x.exp() - 1.0f32)
}

/// 2 atanh(s) for s up to 1/3, by its series.
#[cube]
fn twice_atanh(s: f32) -> f32 {
    let z = s * s;
    let mut series = z * 6.6666667e-2f32 + 7.6923077e-2f32;
    series = series * z + 9.0909091e-2f32;
    series = series * z + 1.1111111e-1f32;
    series = series * z + 1.4285714e-1f32;
    series = series * z + 0.2f32;
    series = series * z + 3.3333333e-1f32;
    let twice = s + s;
    series * z * twice + twice
}

/// The natural logarithm where the argument is far from 1.
#[cube]
fn far_ln(x: f32) -> f32 {
    let of_positive = select(u32::reinterpret(x) == INFINITY_BITS, x, x.ln());
    // Below 0 lies nothing, and 0 has no bits but those of -∞ put there.
    let of_zero = f32::reinterpret(u32::reinterpret(x) | (SIGN_BIT | INFINITY_BITS));
    let of_others = select(x == 0.0f32, of_zero, nan(x));
    select(x > 0.0f32, of_positive, of_others)
}

/// The natural logarithm.
#[cube]
pub(crate) fn ln(x: f32) -> f32 {
    let near = twice_atanh((x - 1.0f32) / (x + 1.0f32));
    select(x > 0.5f32 && x < 2.0f32, near, far_ln(x))
}

/// ln(1 + x), exact near 0.
#[cube]
pub(crate) fn ln_1p(x: f32) -> f32 {
    let near = select(x == 0.0f32, x, twice_atanh(x / (x + 2.0f32)));
    select(x > -0.5f32 && x < 1.0f32, near, far_ln(x + 1.0f32))
}

/// Above this magnitude the smaller exponential of a hyperbolic function has no digits left.
const HYPERBOLIC_FAR: f32 = 20.0;

/// e<sup>x</sup> / 2 without an overflow before the result's own.
#[cube]
fn half_exp(x: f32) -> f32 {
    let root = (0.5f32 * x).exp();
    (0.5f32 * root) * root
}

/// The hyperbolic sine.
#[cube]
pub(crate) fn sinh(x: f32) -> f32 {
    let a = magnitude(x);
    let e = exp_m1(a);
    let near = 0.5f32 * (e + e / (e + 1.0f32));
    let value = with_sign(select(a < HYPERBOLIC_FAR, near, half_exp(a)), x);
    select(is_nan(x), x, value)
}

/// The hyperbolic cosine.
#[cube]
pub(crate) fn cosh(x: f32) -> f32 {
    let a = magnitude(x);
    let e = a.exp();
    let value = select(a < HYPERBOLIC_FAR, 0.5f32 * (e + 1.0f32 / e), half_exp(a));
    select(is_nan(x), x, value)
}

/// The hyperbolic tangent.
#[cube]
pub(crate) fn tanh(x: f32) -> f32 {
    let a = magnitude(x);
    let e = exp_m1(2.0f32 * a);
    let value = with_sign(select(a < HYPERBOLIC_FAR, e / (e + 2.0f32), 1.0f32), x);
    select(is_nan(x), x, value)
}

/// The logistic function. The exponent is never positive, so nothing overflows.
#[cube]
pub(crate) fn sigmoid(x: f32) -> f32 {
    let decay = (-magnitude(x)).exp();
    let value = select(x < 0.0f32, decay, 1.0f32) / (1.0f32 + decay);
    select(is_nan(x), x, value)
}

/// ln(1 + e<sup>x</sup>). The exponent is never positive, so nothing overflows.
#[cube]
pub(crate) fn softplus(x: f32) -> f32 {
    let value = at_least(x, 0.0f32) + ln_1p((-magnitude(x)).exp());
    select(is_nan(x), x, value)
}
