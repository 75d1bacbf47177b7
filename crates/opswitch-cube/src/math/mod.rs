//! Functions of floats, as exact as `f32` allows.
//!
//! Shading languages promise little: a sine within 2⁻¹¹, an arc sine within thousands of steps, a logarithm without digits
//! near 1, a power made of those, and nothing at all for NaN, which a compiler may take to never occur. What is computed
//! here is therefore built from sums, products, quotients, square roots, `exp` and, far from 1, `ln`, and asks integers
//! whether a number is one. Polynomials are those of Moshier's Cephes library, unless a series is named.

#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    reason = "coefficients stand as they are published"
)]

mod error_function;
mod exponential;
mod power;
mod trigonometry;

use cubecl::prelude::*;

pub(crate) use self::{
    error_function::{erf, normal_distribution},
    exponential::{cosh, exp_m1, ln, ln_1p, sigmoid, sinh, softplus, tanh},
    power::{powf, powi, rem_floor},
    trigonometry::{acos, asin, atan, atan2, cos, sin, tan},
};

const MAGNITUDE_BITS: u32 = 0x7fff_ffff;
const INFINITY_BITS: u32 = 0x7f80_0000;
const NAN_BITS: u32 = 0x7fc0_0000;
const SIGN_BIT: u32 = 0x8000_0000;

/// Whether this is not a number.
#[cube]
pub(crate) fn is_nan(x: f32) -> bool {
    (u32::reinterpret(x) & MAGNITUDE_BITS) > INFINITY_BITS
}

/// Whether this is an infinity of either sign.
#[cube]
pub(crate) fn is_infinite(x: f32) -> bool {
    (u32::reinterpret(x) & MAGNITUDE_BITS) == INFINITY_BITS
}

/// No number, made of the bits of one: shading languages have no literal for it.
#[cube]
pub(crate) fn nan(x: f32) -> f32 {
    f32::reinterpret(u32::reinterpret(x) | NAN_BITS)
}

/// `x` without its sign.
#[cube]
pub(crate) fn magnitude(x: f32) -> f32 {
    f32::reinterpret(u32::reinterpret(x) & MAGNITUDE_BITS)
}

/// `x` with the sign of `sign`.
#[cube]
pub(crate) fn with_sign(x: f32, sign: f32) -> f32 {
    let bits = (u32::reinterpret(x) & MAGNITUDE_BITS) | (u32::reinterpret(sign) & SIGN_BIT);
    f32::reinterpret(bits)
}

/// Whether the sign bit is set, which it is for -0 too.
#[cube]
pub(crate) fn has_sign(x: f32) -> bool {
    (u32::reinterpret(x) & SIGN_BIT) != 0u32
}

/// `x`, or `bound` where it is less; NaN stays.
#[cube]
pub(crate) fn at_least(x: f32, bound: f32) -> f32 {
    select(x < bound, bound, x)
}

/// `x`, or `bound` where it is more; NaN stays.
#[cube]
pub(crate) fn at_most(x: f32, bound: f32) -> f32 {
    select(x > bound, bound, x)
}
