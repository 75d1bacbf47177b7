//! The error function and its relatives.

use cubecl::prelude::*;

use super::{is_nan, magnitude};

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

/// The complement of the error function from 1 on, for positive arguments.
#[cube]
fn far_erfc(a: f32) -> f32 {
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
    (-a * a).exp() * q * select(a < 2.0f32, below, above)
}

/// The error function.
#[cube]
pub(crate) fn erf(x: f32) -> f32 {
    let a = magnitude(x);
    let far = 1.0f32 - far_erfc(a);
    let value = select(a < 1.0f32, near_erf(x), select(x < 0.0f32, -far, far));
    select(is_nan(x), x, value)
}

/// 1 - erf(x), exact where that is close to 0.
#[cube]
fn erfc(x: f32) -> f32 {
    let a = magnitude(x);
    let far = far_erfc(a);
    let value = select(a < 1.0f32, 1.0f32 - near_erf(x), select(x < 0.0f32, 2.0f32 - far, far));
    select(is_nan(x), x, value)
}

/// The distribution function of the normal distribution, exact in its lower tail too.
#[cube]
pub(crate) fn normal_distribution(x: f32) -> f32 {
    0.5f32 * erfc(x * -0.70710678f32)
}
