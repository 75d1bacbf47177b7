//! Trigonometric functions and their inverses.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use cubecl::prelude::*;

use super::{has_sign, is_infinite, is_nan, magnitude, nan, with_sign};

/// The binary digits of 2/π from the third after the point on, 32 in each word.
const TWO_OVER_PI_DIGITS: [u32; 6] =
    [0x28be_60db, 0x9391_054a, 0x7f09_d5f4, 0x7d4d_3770, 0x36d8_a566, 0x4f10_e410];

/// Word `index` of [`TWO_OVER_PI_DIGITS`], for indices from 0 to 5.
#[cube]
fn digits(index: u32) -> u32 {
    let mut word = 0u32;
    #[unroll]
    for i in 0..6 {
        if index == i {
            word = comptime!(TWO_OVER_PI_DIGITS[i as usize]);
        }
    }
    word
}

/// The product of two words, low and high.
#[cube]
fn wide_product(a: u32, b: u32) -> (u32, u32) {
    let (a_low, a_high) = (a & 0xffffu32, a >> 16u32);
    let (b_low, b_high) = (b & 0xffffu32, b >> 16u32);
    let cross = a_high * b_low + ((a_low * b_low) >> 16u32);
    let carry = (cross & 0xffffu32) + a_low * b_high;
    (a * b, a_high * b_high + (cross >> 16u32) + (carry >> 16u32))
}

/// `x` without its quarter turns, and how many there are, up to whole turns; for magnitudes from 1/2 on.
///
/// The digits of 2/π that reach the fraction of the product are multiplied in integers (Payne and Hanek 1983), which is
/// exact for every number. Sums of products of floats are not: shader compilers put the parts of π/2 together again.
#[cube]
fn reduced(x: f32) -> (f32, i32) {
    let bits = u32::reinterpret(x);
    let mantissa = ((bits & 0x007f_ffffu32) << 8u32) | 0x8000_0000u32;
    let exponent = ((bits >> 23u32) & 0xffu32) - 126u32;
    let (first, shift) = (exponent >> 5u32, exponent & 31u32);
    let mut high = select(first == 0u32, 0u32, digits(first - 1u32));
    let mut middle = digits(first);
    let mut low = digits(first + 1u32);
    if shift != 0u32 {
        let back = 32u32 - shift;
        high = (high << shift) | (middle >> back);
        middle = (middle << shift) | (low >> back);
        low = (low << shift) | (digits(first + 2u32) >> back);
    }
    // Two digits before the point and 62 after it.
    let (_, carried) = wide_product(mantissa, low);
    let (product_low, product_high) = wide_product(mantissa, middle);
    let fraction_low = product_low + carried;
    let carry = u32::cast_from(fraction_low < carried);
    let fraction_high = product_high + mantissa * high + carry;
    // To the nearest quarter turn: what is left is a signed number.
    let turns = (fraction_high + 0x2000_0000u32) >> 30u32;
    let signed_high = i32::reinterpret((fraction_high << 2u32) | (fraction_low >> 30u32));
    let rest = (f32::cast_from(signed_high) * 4_294_967_296.0f32 + f32::cast_from(fraction_low << 2u32))
        * comptime!(FRAC_PI_2 / 18_446_744_073_709_551_616.0);
    let quadrant = i32::reinterpret(turns);
    (select(x < 0.0f32, -rest, rest), select(x < 0.0f32, -quadrant, quadrant))
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

/// The sine of `x` and `shift` quarter turns more.
#[cube]
fn turned_sin(x: f32, #[comptime] shift: i32) -> f32 {
    let is_near = magnitude(x) < FRAC_PI_4;
    let (reduced, turns) = reduced(x);
    let (rest, quarters) = (select(is_near, x, reduced), select(is_near, 0, turns));
    let quadrant = (quarters + shift) & 3;
    let value = select((quadrant & 1) == 0, near_sin(rest), near_cos(rest));
    let value = select(quadrant > 1, -value, value);
    select(is_nan(x) || is_infinite(x), nan(x), value)
}

/// The sine.
#[cube]
pub(crate) fn sin(x: f32) -> f32 {
    select(x == 0.0f32, x, turned_sin(x, 0))
}

/// The cosine.
#[cube]
pub(crate) fn cos(x: f32) -> f32 {
    turned_sin(x, 1)
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
