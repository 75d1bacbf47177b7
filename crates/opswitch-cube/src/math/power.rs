//! Powers and remainders.

use cubecl::prelude::*;

use super::{has_sign, is_infinite, is_nan, ln, magnitude, nan, with_sign};

/// `x` to the power of `y`, with the special values of C's `pow`.
#[cube]
pub(crate) fn powf(x: f32, y: f32) -> f32 {
    let a = magnitude(x);
    let size = select(a == 1.0f32, 1.0f32, (y * ln(a)).exp());
    let is_integer = y == y.trunc();
    let half = 0.5f32 * y;
    let is_odd = is_integer && half != half.trunc();
    let signed = select(has_sign(x) && is_odd, -size, size);
    let value = select(x < 0.0f32 && !is_integer && !is_infinite(x), nan(x), signed);
    let value = select(is_nan(x) || is_nan(y), nan(x), value);
    select(x == 1.0f32 || y == 0.0f32, 1.0f32, value)
}

/// `x` to the power of an integer, by repeated squaring.
#[cube]
pub(crate) fn powi(x: f32, exponent: i32) -> f32 {
    let mut power = 1.0f32;
    let mut square = x;
    let mut bits = u32::reinterpret(exponent);
    if exponent < 0 {
        bits = 0u32 - bits;
    }
    while bits > 0u32 {
        if (bits & 1u32) == 1u32 {
            power *= square;
        }
        square *= square;
        bits >>= 1u32;
    }
    select(exponent < 0, 1.0f32 / power, power)
}

/// What is left of `x` after the whole multiples of `divisor`, with the sign of `x`.
///
/// The divisor is doubled up to the size of `x` and taken off where it fits, as in long division: every step is exact.
#[cube]
fn remainder(x: f32, divisor: f32) -> f32 {
    let (a, b) = (u32::reinterpret(magnitude(x)), u32::reinterpret(magnitude(divisor)));
    let steps = select(a > b, (a >> 23u32) - (b >> 23u32), 0u32);
    let mut multiple = f32::reinterpret(b + (steps << 23u32));
    let mut rest = magnitude(x);
    for _ in 0..=steps {
        if rest >= multiple {
            rest -= multiple;
        }
        multiple *= 0.5f32;
    }
    with_sign(rest, x)
}

/// The remainder with the sign of the divisor; a remainder of 0 has that sign too.
#[cube]
pub(crate) fn rem_floor(x: f32, divisor: f32) -> f32 {
    let rest = remainder(x, divisor);
    let same_side = (rest < 0.0f32) == (divisor < 0.0f32);
    let value = select(same_side, rest, rest + divisor);
    let value = select(rest == 0.0f32, with_sign(0.0f32, divisor), value);
    let is_undefined = is_nan(x) || is_nan(divisor) || is_infinite(x) || divisor == 0.0f32;
    select(is_undefined, nan(x), value)
}
