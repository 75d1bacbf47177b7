//! The error function in `f32` without branches or calls, so that loops over it become vector instructions.
//!
//! The polynomials are fits of least greatest relative error, of values with 40 digits: 4e-8 for both.

use crate::exp::{exp_of_sum, polynomial};

/// erf(x) / x for |x| ≤ 1, in powers of x², highest first.
#[expect(clippy::approx_constant, reason = "the lowest coefficient is near 2/sqrt(pi), and not the same")]
const SMALL: [f32; 6] =
    [-5.631_422e-4, 4.917_551_3e-3, -2.671_131_1e-2, 1.128_018e-1, -3.761_232_5e-1, 1.128_379_1];

/// erfc(x) e<sup>x²</sup> / t for x ≥ 0, in powers of t - 5/8, highest first, where t = 1 / (1 + x / 2).
const TAIL: [f32; 9] = [
    -5.912_435_4e-2,
    -1.077_591_35e-2,
    1.117_657_65e-1,
    -2.211_071e-2,
    -2.116_080_4e-1,
    4.774_872_2e-2,
    5.958_415e-1,
    8.322_775e-1,
    6.056_598_4e-1,
];

/// From here on erfc is 0.
const GREATEST: f32 = 11.0;

/// 1 - [`erf`], within six units in the last place: of great x too, where it is tiny.
#[inline]
pub(crate) fn erfc(x: f32) -> f32 {
    let size = x.abs();
    let size = if size > GREATEST { GREATEST } else { size };
    let t = 1.0 / (1.0 + 0.5 * size);
    let scaled = polynomial(TAIL, t - 0.625) * t;
    // The square of the upper half of the digits is exact; what it lacks is small.
    let upper = f32::from_bits(size.to_bits() & !0xfff);
    let tail = scaled * exp_of_sum(-upper * upper, (upper - size) * (upper + size));
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// 2/sqrt(π) ∫ e<sup>-t²</sup> dt from 0 to x, within three units in the last place.
#[inline]
pub(crate) fn erf(x: f32) -> f32 {
    let small = x * polynomial(SMALL, x * x);
    let great = (1.0 - erfc(x.abs())).copysign(x);
    if x.abs() < 1.0 { small } else { great }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exp::distance;

    fn steps() -> impl Iterator<Item = f32> {
        (-120_000..=120_000).map(|step| step as f32 * 1e-4)
    }

    #[test]
    fn erf_is_within_three_units_in_the_last_place() {
        for x in steps() {
            let expected = libm::erf(f64::from(x)) as f32;
            assert!(distance(erf(x).abs(), expected.abs()) <= 3, "erf({x}) is {expected}, not {}", erf(x));
            assert_eq!(erf(x).is_sign_negative(), x.is_sign_negative(), "{x}");
        }
    }

    #[test]
    fn erfc_is_within_six_units_in_the_last_place_in_both_tails() {
        for x in steps() {
            let expected = libm::erfc(f64::from(x)) as f32;
            assert!(distance(erfc(x), expected) <= 6, "erfc({x}) is {expected:e}, not {:e}", erfc(x));
        }
    }

    #[test]
    fn their_edges_are_exact() {
        assert_eq!((erf(0.0).to_bits(), erf(-0.0).to_bits()), (0.0f32.to_bits(), (-0.0f32).to_bits()));
        assert_eq!((erf(f32::INFINITY), erf(f32::NEG_INFINITY)), (1.0, -1.0));
        assert_eq!((erfc(f32::INFINITY), erfc(f32::NEG_INFINITY)), (0.0, 2.0));
        assert_eq!((erfc(f32::MAX), erfc(f32::MIN)), (0.0, 2.0));
        assert!(erf(f32::NAN).is_nan() && erfc(f32::NAN).is_nan());
    }
}
