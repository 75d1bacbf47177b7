//! The exponential function in `f32` without branches or calls, so that loops over it become vector instructions.

use std::f32::consts::LOG2_E;

/// Adding and subtracting 1.5 · 2<sup>23</sup> rounds a small number to an integer, which the lowest bits of the sum hold.
const ROUND: f32 = 12_582_912.0;

/// ln 2 in two parts; a product of the first and an integer is exact.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// (e<sup>r</sup> - 1 - r) / r² for |r| ≤ ln 2 / 2, highest power first: the minimax polynomial of Moshier's Cephes, `expf`.
const POLYNOMIAL: [f32; 6] = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

/// Beyond these everything overflows, or is 0.
const LEAST: f32 = -110.0;
const GREATEST: f32 = 100.0;

/// e<sup>x</sup>, within two units in the last place.
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    exp_of_sum(x, 0.0)
}

/// e<sup>x + rest</sup> for a small rest, which x has no digits for: 2<sup>n</sup> e<sup>r</sup> with x + rest = n ln 2 + r.
#[inline]
pub(crate) fn exp_of_sum(x: f32, rest: f32) -> f32 {
    let x = if x < LEAST { LEAST } else { x };
    let x = if x > GREATEST { GREATEST } else { x };
    let shifted = x * LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let r = x - whole * LN_2[0] - whole * LN_2[1] + rest;
    let fraction = polynomial(POLYNOMIAL, r) * r * r + r + 1.0;
    // 2^n as two factors: neither leaves the range of normal numbers, where their product may.
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let half = n >> 1;
    fraction * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// 2<sup>n</sup> for -126 ≤ n ≤ 127.
#[inline]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// The value of a polynomial at `x`, from its coefficients, that of the highest power first.
#[inline]
pub(crate) fn polynomial<const N: usize>(coefficients: [f32; N], x: f32) -> f32 {
    coefficients.into_iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The distance of two positive numbers in units in the last place.
#[cfg(test)]
pub(crate) fn distance(x: f32, y: f32) -> u32 {
    x.to_bits().abs_diff(y.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_within_two_units_in_the_last_place() {
        // From the least result to the greatest.
        for step in -1_040_000..887_000 {
            let x = step as f32 * 1e-4;
            let expected = f64::from(x).exp() as f32;
            assert!(distance(exp(x), expected) <= 2, "e^{x} is {expected}, not {}", exp(x));
        }
    }

    #[test]
    fn its_edges_are_those_of_ieee_754() {
        assert_eq!((exp(0.0), exp(-0.0)), (1.0, 1.0));
        assert_eq!((exp(f32::INFINITY), exp(f32::NEG_INFINITY)), (f32::INFINITY, 0.0));
        assert_eq!((exp(f32::MAX), exp(f32::MIN)), (f32::INFINITY, 0.0));
        assert_eq!((exp(88.73), exp(-104.0)), (f32::INFINITY, 0.0));
        assert!(exp(88.72).is_finite() && exp(-103.9) > 0.0);
        assert!(exp(f32::NAN).is_nan());
    }
}
