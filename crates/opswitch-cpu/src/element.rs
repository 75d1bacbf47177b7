//! What kernels need of element types.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use opswitch_core::{
    DType, Element,
    half::{bf16, f16},
};

/// A type in which floats are computed.
pub(crate) trait Real:
    Float<Wide = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const INFINITY: Self;

    fn exp(self) -> Self;
    fn exp_m1(self) -> Self;
    fn ln(self) -> Self;
    fn ln_1p(self) -> Self;
    fn sqrt(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round_ties_even(self) -> Self;
    fn abs(self) -> Self;
    fn powf(self, exponent: Self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn erf(self) -> Self;
    fn erfc(self) -> Self;
    fn is_nan(self) -> bool;
    fn is_infinite(self) -> bool;

    /// Repeated squaring.
    #[inline]
    fn powi(self, exponent: i32) -> Self {
        let (mut power, mut square, mut bits) = (Self::ONE, self, exponent.unsigned_abs());
        while bits > 0 {
            if bits & 1 == 1 {
                power = power * square;
            }
            square = square * square;
            bits >>= 1;
        }
        if exponent < 0 { Self::ONE / power } else { power }
    }

    /// The remainder with the sign of the divisor; a remainder of 0 has that sign too.
    #[inline]
    fn rem_floor(self, divisor: Self) -> Self {
        let rem = self % divisor;
        if rem == Self::ZERO {
            rem.copysign(divisor)
        } else if (rem < Self::ZERO) == (divisor < Self::ZERO) {
            rem
        } else {
            rem + divisor
        }
    }

    /// The logistic function. The exponent is never positive, so nothing overflows.
    #[inline]
    fn sigmoid(self) -> Self {
        let decay = (-self.abs()).exp();
        let numerator = if self < Self::ZERO { decay } else { Self::ONE };
        numerator / (Self::ONE + decay)
    }

    /// ln(1 + e<sup>x</sup>). The exponent is never positive, so nothing overflows.
    #[inline]
    fn softplus(self) -> Self {
        self.at_least(Self::ZERO) + (-self.abs()).exp().ln_1p()
    }

    /// The distribution function of the normal distribution, exact in its lower tail too.
    #[inline]
    fn normal_distribution(self) -> Self {
        let scale = Self::from_f64(-std::f64::consts::FRAC_1_SQRT_2);
        Self::from_f64(0.5) * (self * scale).erfc()
    }

    /// This value, or `bound` where it is less; NaN stays.
    #[inline]
    fn at_least(self, bound: Self) -> Self {
        if self < bound { bound } else { self }
    }

    /// This value, or `bound` where it is more; NaN stays.
    #[inline]
    fn at_most(self, bound: Self) -> Self {
        if self > bound { bound } else { self }
    }

    /// The lesser, or NaN if one is.
    #[inline]
    fn least(self, other: Self) -> Self {
        if self < other || self.is_nan() { self } else { other }
    }

    /// The greater, or NaN if one is.
    #[inline]
    fn greatest(self, other: Self) -> Self {
        if self > other || self.is_nan() { self } else { other }
    }
}

/// A float element, and the type in which it is computed: each op rounds once.
pub(crate) trait Float: Element {
    type Wide: Real;

    fn widen(self) -> Self::Wide;

    fn narrow(wide: Self::Wide) -> Self;

    /// The values in the wider type: themselves, or those of `buffer` after they were converted into it.
    fn wide<'a>(values: &'a [Self], buffer: &'a mut Vec<Self::Wide>) -> &'a [Self::Wide];
}

/// An element of which many are added up: floats in the type in which they are computed, integers wrapping around.
pub(crate) trait Summand: Element {
    type Sum: Copy;

    fn add_to(self, sum: Self::Sum) -> Self::Sum;

    /// `values` after `update`, which sees and changes them as sums.
    fn update_sums(values: Vec<Self>, update: impl FnOnce(&mut [Self::Sum])) -> Vec<Self>;
}

/// An element of a type with a least and a greatest value.
pub(crate) trait Bounded: Element + Ord {
    const LEAST: Self;
    const GREATEST: Self;
}

/// An integer element; arithmetic wraps around.
pub(crate) trait Integer: Bounded {
    const ONE: Self;

    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    fn wrapping_div(self, other: Self) -> Self;
    fn wrapping_neg(self) -> Self;
    fn wrapping_abs(self) -> Self;
    fn signum(self) -> Self;
    fn bitand(self, other: Self) -> Self;
    fn bitor(self, other: Self) -> Self;
    fn bitxor(self, other: Self) -> Self;
    fn not(self) -> Self;

    /// The bits moved up; all of them moved out by an amount that is negative, or not less than their number.
    fn shift_left(self, amount: Self) -> Self;

    /// The bits moved down, behind the sign; all of them moved out as with [`shift_left`](Self::shift_left).
    fn shift_right(self, amount: Self) -> Self;

    /// The remainder with the sign of the divisor.
    fn rem_floor(self, divisor: Self) -> Self;

    /// This number, if the type has it.
    fn exactly(value: i64) -> Option<Self>;
}

/// A type that is its own sum.
macro_rules! summand {
    ($ty:ident: |$value:ident, $sum:ident| $add:expr) => {
        impl Summand for $ty {
            type Sum = Self;

            #[inline]
            fn add_to(self, $sum: Self) -> Self {
                let $value = self;
                $add
            }

            fn update_sums(mut values: Vec<Self>, update: impl FnOnce(&mut [Self])) -> Vec<Self> {
                update(&mut values);
                values
            }
        }
    };
}

macro_rules! real {
    ($ty:ident, $exp:path, $erf:path, $erfc:path; $($unary:ident)*) => {
        impl Real for $ty {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = $ty::INFINITY;

            $(#[inline] fn $unary(self) -> Self { $ty::$unary(self) })*
            #[inline] fn powf(self, exponent: Self) -> Self { $ty::powf(self, exponent) }
            #[inline] fn atan2(self, x: Self) -> Self { $ty::atan2(self, x) }
            #[inline] fn copysign(self, sign: Self) -> Self { $ty::copysign(self, sign) }
            #[inline] fn exp(self) -> Self { $exp(self) }
            #[inline] fn erf(self) -> Self { $erf(self) }
            #[inline] fn erfc(self) -> Self { $erfc(self) }
            #[inline] fn is_nan(self) -> bool { $ty::is_nan(self) }
            #[inline] fn is_infinite(self) -> bool { $ty::is_infinite(self) }
        }

        impl Float for $ty {
            type Wide = Self;

            #[inline] fn widen(self) -> Self { self }
            #[inline] fn narrow(wide: Self) -> Self { wide }
            #[inline] fn wide<'a>(values: &'a [Self], _: &'a mut Vec<Self>) -> &'a [Self] { values }
        }

        summand!($ty: |value, sum| sum + value);
    };
    ($($ty:ident, $exp:path, $erf:path, $erfc:path;)*) => {
        $(real!($ty, $exp, $erf, $erfc; exp_m1 ln ln_1p sqrt sin cos tan asin acos atan sinh cosh tanh
            floor ceil trunc round_ties_even abs);)*
    };
}

macro_rules! half {
    ($($ty:ident)*) => {$(
        impl Float for $ty {
            type Wide = f32;

            #[inline] fn widen(self) -> f32 { self.to_f32() }
            #[inline] fn narrow(wide: f32) -> Self { Self::from_f32(wide) }

            fn wide<'a>(values: &'a [Self], buffer: &'a mut Vec<f32>) -> &'a [f32] {
                buffer.clear();
                buffer.extend(values.iter().map(|value| value.to_f32()));
                buffer
            }
        }

        impl Summand for $ty {
            type Sum = f32;

            #[inline] fn add_to(self, sum: f32) -> f32 { sum + self.to_f32() }

            fn update_sums(values: Vec<Self>, update: impl FnOnce(&mut [f32])) -> Vec<Self> {
                let mut wide: Vec<f32> = values.into_iter().map(Self::widen).collect();
                update(&mut wide);
                wide.into_iter().map(Self::narrow).collect()
            }
        }
    )*};
}

macro_rules! integer {
    ($($ty:ident: |$x:ident| $abs:expr, $sign:expr, |$rem:ident, $divisor:ident| $differs:expr;)*) => {$(
        summand!($ty: |value, sum| sum.wrapping_add(value));

        impl Bounded for $ty {
            const LEAST: Self = $ty::MIN;
            const GREATEST: Self = $ty::MAX;
        }

        impl Integer for $ty {
            const ONE: Self = 1;

            #[inline] fn wrapping_add(self, other: Self) -> Self { $ty::wrapping_add(self, other) }
            #[inline] fn wrapping_sub(self, other: Self) -> Self { $ty::wrapping_sub(self, other) }
            #[inline] fn wrapping_mul(self, other: Self) -> Self { $ty::wrapping_mul(self, other) }
            #[inline] fn wrapping_div(self, other: Self) -> Self { $ty::wrapping_div(self, other) }
            #[inline] fn wrapping_neg(self) -> Self { $ty::wrapping_neg(self) }
            #[inline] fn wrapping_abs(self) -> Self { let $x = self; $abs }
            #[inline] fn signum(self) -> Self { let $x = self; $sign }
            #[inline] fn bitand(self, other: Self) -> Self { self & other }
            #[inline] fn bitor(self, other: Self) -> Self { self | other }
            #[inline] fn bitxor(self, other: Self) -> Self { self ^ other }
            #[inline] fn not(self) -> Self { !self }

            #[inline]
            fn shift_left(self, amount: Self) -> Self {
                shift_amount(amount).and_then(|amount| self.checked_shl(amount)).unwrap_or(0)
            }

            #[inline]
            fn shift_right(self, amount: Self) -> Self {
                let shifted_out = self >> ($ty::BITS - 1) >> 1;
                shift_amount(amount).and_then(|amount| self.checked_shr(amount)).unwrap_or(shifted_out)
            }

            #[inline]
            fn rem_floor(self, $divisor: Self) -> Self {
                let $rem = self.wrapping_rem($divisor);
                if $rem != 0 && $differs { $rem.wrapping_add($divisor) } else { $rem }
            }

            #[inline] fn exactly(value: i64) -> Option<Self> { value.try_into().ok() }
        }
    )*};
    (signed $($signed:ident)*; unsigned $($unsigned:ident)*) => {
        integer! {
            $($signed: |x| $signed::wrapping_abs(x), $signed::signum(x),
                |rem, divisor| (rem < 0) != (divisor < 0);)*
            $($unsigned: |x| x, x.min(1), |rem, divisor| false;)*
        }
    };
}

real! {
    f64, f64::exp, libm::erf, libm::erfc;
    f32, crate::exp::exp, crate::erf::erf, crate::erf::erfc;
}
half!(f16 bf16);
integer!(signed i64 i32 i16 i8; unsigned u64 u32 u16 u8);

/// How far bits are to be moved, unless it is farther than any type has bits.
#[inline]
fn shift_amount<E: Integer>(amount: E) -> Option<u32> {
    u32::try_from(amount.to_i64()).ok()
}

impl Bounded for bool {
    const LEAST: Self = false;
    const GREATEST: Self = true;
}

/// One value converted as `Elements::cast` converts it.
#[inline]
pub(crate) fn convert<E: Element, T: Element>(value: E) -> T {
    if T::DTYPE == DType::I64 || !(E::DTYPE.is_float() || T::DTYPE.is_float()) {
        T::from_i64(value.to_i64())
    } else {
        T::from_f64(value.to_f64())
    }
}

/// Runs a block with the Rust type of a float type, or panics with the op's name.
macro_rules! for_float {
    ($op:expr, $dtype:expr, |$E:ident| $body:expr) => {
        $crate::element::for_kind!($op, $dtype, |$E| $body, "a float type", F64 f64, F32 f32,
            F16 opswitch_core::half::f16, BF16 opswitch_core::half::bf16)
    };
}

/// Runs a block with the Rust type of a type in which floats are computed, or panics with the op's name.
macro_rules! for_real {
    ($op:expr, $dtype:expr, |$E:ident| $body:expr) => {
        $crate::element::for_kind!($op, $dtype, |$E| $body, "a float type", F64 f64, F32 f32)
    };
}

/// Runs a block with the Rust type of an integer type, or panics with the op's name.
macro_rules! for_int {
    ($op:expr, $dtype:expr, |$E:ident| $body:expr) => {
        $crate::element::for_kind!($op, $dtype, |$E| $body, "an integer type", I64 i64, I32 i32, I16 i16, I8 i8,
            U64 u64, U32 u32, U16 u16, U8 u8)
    };
}

macro_rules! for_kind {
    ($op:expr, $dtype:expr, |$E:ident| $body:expr, $expected:literal, $($variant:ident $ty:ty),*) => {
        match $dtype {
            $(opswitch_core::DType::$variant => {
                type $E = $ty;
                $body
            })*
            found => opswitch_core::raise(&opswitch_core::OpError::Kind { op: $op, expected: $expected, found }),
        }
    };
}

pub(crate) use {for_float, for_int, for_kind, for_real};
