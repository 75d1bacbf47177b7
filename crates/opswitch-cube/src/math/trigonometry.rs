//! Trigonometric functions and their inverses.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use cubecl::prelude::*;

use super::{has_sign, is_infinite, is_nan, magnitude, nan, with_sign};

/// π/2 in three parts, of which the first two have so few digits that their product with a quadrant is exact.
const HALF_PI_PARTS: [f32; 3] = [1.5703125, 4.8375130e-4, 7.5497899e-8];
const TWO_OVER_PI: f32 = std::f32::consts::FRAC_2_PI;

/// Above this, the product of a quadrant with the parts of π/2 is no longer exact, and the device's own function is used.
const FAR: f32 = 8192.0;

/// How many quarter turns lie before `x`.
#[cube]
fn quarter_turns(x: f32) -> f32 {
    (x * TWO_OVER_PI + 0.5f32).floor()
}

/// `x` without its quarter turns: at most π/4 in magnitude.
#[cube]
fn remainder(x: f32, turns: f32) -> f32 {
    ((x - turns * comptime!(HALF_PI_PARTS[0])) - turns * comptime!(HALF_PI_PARTS[1]))
        - turns * comptime!(HALF_PI_PARTS[2])
}

/// The sine up to π/4.
#[cube]
fn near_sin(r: f32) -> f32 {
    let z = r * r;
    let series = (z * -1.9515296e-4f32 + 8.3321609e-3f32) * z - 1.6666655e-1f32;
    series * z * r + r
}

/// The cosine up to π/4.
#[cube]
fn near_cos(r: f32) -> f32 {
    let z = r * r;
    let series = (z * 2.4433157e-5f32 - 1.3887316e-3f32) * z + 4.1666646e-2f32;
    series * z * z - 0.5f32 * z + 1.0f32
}

/// The sine of `x` and `shift` quarter turns more, for `x` that is not far.
#[cube]
fn turned_sin(x: f32, #[comptime] shift: i32) -> f32 {
    let turns = quarter_turns(x);
    let r = remainder(x, turns);
    let quadrant = (i32::cast_from(turns) + shift) & 3;
    let value = select((quadrant & 1) == 0, near_sin(r), near_cos(r));
    select(quadrant > 1, -value, value)
}

/// The sine.
#[cube]
pub(crate) fn sin(x: f32) -> f32 {
    let value = select(magnitude(x) < FAR, turned_sin(x, 0), x.sin());
    let value = select(x == 0.0f32, x, value);
    select(is_nan(x) || is_infinite(x), nan(x), value)
}

/// The cosine.
#[cube]
pub(crate) fn cos(x: f32) -> f32 {
    let value = select(magnitude(x) < FAR, turned_sin(x, 1), x.cos());
    select(is_nan(x) || is_infinite(x), nan(x), value)
}

/// The tangent.
#[cube]
pub(crate) fn tan(x: f32) -> f32 {
    select(x == 0.0f32, x, sin(x) / cos(x))
}

/// The arc sine up to 1/2.
#[cube]
fn near_asin(s: f32) -> f32 {
    let z = s * s;
    let mut series = z * 4.2163199e-2f32 + 2.4181311e-2f32;
    series = series * z + 4.5470026e-2f32;
    series = series * z + 7.4953003e-2f32;
    series = series * z + 1.6666752e-1f32;
    series * z * s + s
}

/// Twice the arc sine of √((1 - a)/2), which is the arc cosine of `a`, for `a` from 1/2 on.
#[cube]
fn far_acos(a: f32) -> f32 {
    2.0f32 * near_asin((0.5f32 * (1.0f32 - a)).sqrt())
}

/// The arc sine.
#[cube]
pub(crate) fn asin(x: f32) -> f32 {
    let a = magnitude(x);
    let value = with_sign(select(a > 0.5f32, FRAC_PI_2 - far_acos(a), near_asin(a)), x);
    select(a <= 1.0f32, value, nan(x))
}

/// The arc cosine.
#[cube]
pub(crate) fn acos(x: f32) -> f32 {
    let a = magnitude(x);
    let far = far_acos(a);
    let value = select(a > 0.5f32, select(x < 0.0f32, PI - far, far), FRAC_PI_2 - near_asin(x));
    select(a <= 1.0f32, value, nan(x))
}

/// The arc tangent of a number that is not negative.
#[cube]
fn positive_atan(a: f32) -> f32 {
    let is_large = a > 2.4142136f32;
    let is_small = a < 0.41421356f32;
    let middle = select(is_small, a, (a - 1.0f32) / (a + 1.0f32));
    let x = select(is_large, -1.0f32 / a, middle);
    let base = select(is_large, FRAC_PI_2, select(is_small, 0.0f32, FRAC_PI_4));
    let z = x * x;
    let series = ((z * 8.0537445e-2f32 - 1.3877686e-1f32) * z + 1.9977711e-1f32) * z - 3.3332949e-1f32;
    base + (series * z * x + x)
}

/// The arc tangent.
#[cube]
pub(crate) fn atan(x: f32) -> f32 {
    select(is_nan(x), x, with_sign(positive_atan(magnitude(x)), x))
}

/// The angle of the point (x, y).
#[cube]
pub(crate) fn atan2(y: f32, x: f32) -> f32 {
    let (rise, run) = (magnitude(y), magnitude(x));
    let is_steep = rise > run;
    let longer = select(is_steep, rise, run);
    let shorter = select(is_steep, run, rise);
    let quotient = select(is_infinite(shorter), 1.0f32, select(longer == 0.0f32, 0.0f32, shorter / longer));
    let angle = positive_atan(quotient);
    let angle = select(is_steep, FRAC_PI_2 - angle, angle);
    let angle = select(has_sign(x), PI - angle, angle);
    select(is_nan(x) || is_nan(y), nan(x), with_sign(angle, y))
}
