//! The error function and its relatives.

use std::f32::consts::FRAC_1_SQRT_2;

use cubecl::prelude::*;

use super::{at_most, is_nan, magnitude, with_sign};

/// The error function up to 1.
#[cube]
fn near_erf(x: f32) -> f32 {
    let z = x * x;
    let mut series = z * 7.853861e-5f32 - 8.010194e-4f32;
    series = series * z + 5.188328e-3f32;
    series = series * z - 2.6853814e-2f32;
    series = series * z + 1.1283585e-1f32;
    series = series * z - 3.7612626e-1f32;
    series = series * z + 1.1283791e0f32;
    series * x
}

/// e<sup>-factor a²</sup>. The square is split into one that is exact and the rest, since its rounding would grow with it.
#[cube]
fn exp_of_square(a: f32, #[comptime] factor: f32) -> f32 {
    let high = f32::reinterpret(u32::reinterpret(a) & 0xffff_f000u32);
    (-factor * high * high).exp() * (factor * (high - a) * (high + a)).exp()
}

/// Beyond this, the complement of the error function is 0.
const FAR: f32 = 20.0;

/// The complement of the error function from 1 on, for positive arguments, given e<sup>-a²</sup>.
#[cube]
fn far_erfc(a: f32, exponential: f32) -> f32 {
    let q = 1.0f32 / a;
    let y = q * q;
    let mut below = y * 2.3268200e-2f32 - 1.3870394e-1f32;
    below = below * y + 3.6874247e-1f32;
    below = below * y - 5.8247330e-1f32;
    below = below * y + 6.2100046e-1f32;
    below = below * y - 4.9445153e-1f32;
    below = below * y + 3.4048799e-1f32;
    below = below * y - 2.7411270e-1f32;
    below = below * y + 5.6382594e-1f32;
    let mut above = y * -1.0477664e1f32 + 1.2977200e1f32;
    above = above * y - 7.4955187e0f32;
    above = above * y + 2.9210190e0f32;
    above = above * y - 1.0152653e0f32;
    above = above * y + 4.2184633e-1f32;
    above = above * y - 2.8207674e-1f32;
    above = above * y + 5.6418951e-1f32;
    exponential * q * select(a < 2.0f32, below, above)
}

/// The error function.
#[cube]
pub(crate) fn erf(x: f32) -> f32 {
    let a = at_most(magnitude(x), FAR);
    let far = 1.0f32 - far_erfc(a, exp_of_square(a, 1.0));
    let value = select(a < 1.0f32, near_erf(x), with_sign(far, x));
    select(is_nan(x), x, value)
}

/// The distribution function of the normal distribution, exact in its lower tail too.
#[cube]
pub(crate) fn normal_distribution(x: f32) -> f32 {
    let size = at_most(magnitude(x), FAR);
    let a = size * FRAC_1_SQRT_2;
    let far = 0.5f32 * far_erfc(a, exp_of_square(size, 0.5));
    let near = 0.5f32 + 0.5f32 * near_erf(x * FRAC_1_SQRT_2);
    let value = select(a < 1.0f32, near, select(x < 0.0f32, far, 1.0f32 - far));
    select(is_nan(x), x, value)
}
