//! The functions behind the float ops. All of them compute in `f32`.

use cubecl::prelude::*;

use super::{Map, Zip};
use crate::math;

/// Functions of one float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatMap {
    Neg,
    Abs,
    Sign,
    Exp,
    ExpM1,
    Ln,
    Ln1p,
    Sqrt,
    Rsqrt,
    Recip,
    Square,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    Floor,
    Ceil,
    Round,
    Trunc,
    Relu,
    Sigmoid,
    LogSigmoid,
    Gelu,
    Silu,
}

#[cube]
impl Map<f32, f32> for FloatMap {
    fn apply(x: f32, #[comptime] function: Self) -> f32 {
        match comptime!(function) {
            FloatMap::Neg => -x,
            FloatMap::Abs => math::magnitude(x),
            FloatMap::Sign => select(x > 0.0f32, 1.0f32, select(x < 0.0f32, -1.0f32, x)),
            FloatMap::Exp => x.exp(),
            FloatMap::ExpM1 => math::exp_m1(x),
            FloatMap::Ln => math::ln(x),
            FloatMap::Ln1p => math::ln_1p(x),
            FloatMap::Sqrt => x.sqrt(),
            FloatMap::Rsqrt => 1.0f32 / x.sqrt(),
            FloatMap::Recip => 1.0f32 / x,
            FloatMap::Square => x * x,
            FloatMap::Sin => math::sin(x),
            FloatMap::Cos => math::cos(x),
            FloatMap::Tan => math::tan(x),
            FloatMap::Asin => math::asin(x),
            FloatMap::Acos => math::acos(x),
            FloatMap::Atan => math::atan(x),
            FloatMap::Sinh => math::sinh(x),
            FloatMap::Cosh => math::cosh(x),
            FloatMap::Tanh => math::tanh(x),
            FloatMap::Erf => math::erf(x),
            FloatMap::Floor => x.floor(),
            FloatMap::Ceil => x.ceil(),
            FloatMap::Round => x.round(),
            FloatMap::Trunc => x.trunc(),
            FloatMap::Relu => math::at_least(x, 0.0f32),
            FloatMap::Sigmoid => math::sigmoid(x),
            FloatMap::LogSigmoid => -math::softplus(-x),
            FloatMap::Gelu => x * math::normal_distribution(x),
            FloatMap::Silu => x * math::sigmoid(x),
        }
    }
}

/// Functions of two floats, or of one and a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatZip {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Powf,
    Atan2,
    Minimum,
    Maximum,
    ReluBackward,
    AtLeast,
    AtMost,
    Softplus,
    LeakyRelu,
    /// The exponent holds the bits of an integer.
    Powi,
}

#[cube]
impl Zip<f32, f32> for FloatZip {
    fn apply(lhs: f32, rhs: f32, #[comptime] function: Self) -> f32 {
        match comptime!(function) {
            FloatZip::Add => lhs + rhs,
            FloatZip::Sub => lhs - rhs,
            FloatZip::Mul => lhs * rhs,
            FloatZip::Div => lhs / rhs,
            FloatZip::Rem => math::rem_floor(lhs, rhs),
            FloatZip::Powf => math::powf(lhs, rhs),
            FloatZip::Atan2 => math::atan2(lhs, rhs),
            FloatZip::Minimum => select(lhs < rhs || math::is_nan(lhs), lhs, rhs),
            FloatZip::Maximum => select(lhs > rhs || math::is_nan(lhs), lhs, rhs),
            FloatZip::ReluBackward => select(lhs > 0.0f32, rhs, 0.0f32),
            FloatZip::AtLeast => math::at_least(lhs, rhs),
            FloatZip::AtMost => math::at_most(lhs, rhs),
            FloatZip::Softplus => math::softplus(rhs * lhs) / rhs,
            FloatZip::LeakyRelu => select(lhs > 0.0f32, lhs, rhs * lhs),
            FloatZip::Powi => math::powi(lhs, i32::reinterpret(rhs)),
        }
    }
}

/// Questions about a float, answered by 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatQuestion {
    Nan,
    Infinite,
    Finite,
}

#[cube]
impl Map<f32, u32> for FloatQuestion {
    fn apply(x: f32, #[comptime] function: Self) -> u32 {
        let holds = match comptime!(function) {
            FloatQuestion::Nan => math::is_nan(x),
            FloatQuestion::Infinite => math::is_infinite(x),
            FloatQuestion::Finite => !math::is_nan(x) && !math::is_infinite(x),
        };
        u32::cast_from(holds)
    }
}

/// Comparisons of two floats, answered by 1 or 0. NaN is unequal to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatComparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[cube]
impl Zip<f32, u32> for FloatComparison {
    fn apply(lhs: f32, rhs: f32, #[comptime] function: Self) -> u32 {
        let is_ordered = !math::is_nan(lhs) && !math::is_nan(rhs);
        let holds = match comptime!(function) {
            FloatComparison::Equal => is_ordered && lhs == rhs,
            FloatComparison::NotEqual => !is_ordered || lhs != rhs,
            FloatComparison::Less => is_ordered && lhs < rhs,
            FloatComparison::LessEqual => is_ordered && lhs <= rhs,
            FloatComparison::Greater => is_ordered && lhs > rhs,
            FloatComparison::GreaterEqual => is_ordered && lhs >= rhs,
        };
        u32::cast_from(holds)
    }
}
