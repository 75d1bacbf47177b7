//! The operators of Rust on tensors, with tensors and scalars on either side.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use opswitch_core::{
    Backend, Bool, Float, Int, TensorHandle,
    ops::{BoolOps, FloatOps, IntOps},
};

use super::{NumericOps, Scalar, Tensor};

/// A binary operator between tensors of one kind, owned or borrowed on either side.
macro_rules! between_tensors {
    ($trait_:ident, $func:ident, $kind:ident: $bound:ident, $op:expr) => {
        between_tensors!(@impl $trait_, $func, [const D: usize, B: $bound], Tensor<D, $kind, B>, $op);
    };
    ($trait_:ident, $func:ident) => {
        between_tensors!(@impl $trait_, $func, [const D: usize, K: NumericOps<B>, B: Backend], Tensor<D, K, B>, K::$func);
    };
    (@impl $trait_:ident, $func:ident, [$($params:tt)*], $tensor:ty, $op:expr) => {
        impl<$($params)*> $trait_ for $tensor {
            type Output = $tensor;

            #[inline]
            #[track_caller]
            fn $func(self, rhs: $tensor) -> $tensor {
                Tensor::wrap($op(self.primitive, rhs.primitive))
            }
        }

        impl<$($params)*> $trait_<&$tensor> for $tensor {
            type Output = $tensor;

            #[inline]
            #[track_caller]
            fn $func(self, rhs: &$tensor) -> $tensor {
                $trait_::$func(self, rhs.clone())
            }
        }

        impl<$($params)*> $trait_<$tensor> for &$tensor {
            type Output = $tensor;

            #[inline]
            #[track_caller]
            fn $func(self, rhs: $tensor) -> $tensor {
                $trait_::$func(self.clone(), rhs)
            }
        }

        impl<$($params)*> $trait_ for &$tensor {
            type Output = $tensor;

            #[inline]
            #[track_caller]
            fn $func(self, rhs: &$tensor) -> $tensor {
                $trait_::$func(self.clone(), rhs.clone())
            }
        }
    };
}

/// A binary operator with a scalar on the right of an owned or borrowed tensor.
macro_rules! with_scalar {
    ($kind:ident: $bound:ident, $($trait_:ident $func:ident $op:expr),*) => {$(
        impl<const D: usize, B: $bound, S: Scalar<$kind>> $trait_<S> for Tensor<D, $kind, B> {
            type Output = Self;

            #[inline]
            #[track_caller]
            fn $func(self, rhs: S) -> Self {
                Self::wrap($op(self.primitive, rhs.to_scalar()))
            }
        }

        impl<const D: usize, B: $bound, S: Scalar<$kind>> $trait_<S> for &Tensor<D, $kind, B> {
            type Output = Tensor<D, $kind, B>;

            #[inline]
            #[track_caller]
            fn $func(self, rhs: S) -> Tensor<D, $kind, B> {
                $trait_::$func(self.clone(), rhs)
            }
        }
    )*};
}

/// A binary operator with a scalar on the left. There is one type of scalar for each kind of tensor, so that a literal has
/// that type, and the compiler knows the result where a method is called on it.
macro_rules! from_scalar {
    ($kind:ident: $bound:ident, $scalar:ty, $($trait_:ident $func:ident |$lhs:ident, $rhs:ident| $body:expr;)*) => {$(
        impl<const D: usize, B: $bound> $trait_<Tensor<D, $kind, B>> for $scalar {
            type Output = Tensor<D, $kind, B>;

            #[inline]
            #[track_caller]
            fn $func(self, $rhs: Tensor<D, $kind, B>) -> Tensor<D, $kind, B> {
                let $lhs = self;
                $body
            }
        }

        impl<const D: usize, B: $bound> $trait_<&Tensor<D, $kind, B>> for $scalar {
            type Output = Tensor<D, $kind, B>;

            #[inline]
            #[track_caller]
            fn $func(self, rhs: &Tensor<D, $kind, B>) -> Tensor<D, $kind, B> {
                $trait_::$func(self, rhs.clone())
            }
        }
    )*};
    ($kind:ident: $bound:ident, $scalar:ty) => {
        from_scalar! {
            $kind: $bound, $scalar,
            Add add |lhs, rhs| rhs + lhs;
            Mul mul |lhs, rhs| rhs * lhs;
            Sub sub |lhs, rhs| rhs.scalar_beside(lhs) - rhs;
            Div div |lhs, rhs| rhs.scalar_beside(lhs) / rhs;
            Rem rem |lhs, rhs| rhs.scalar_beside(lhs) % rhs;
        }
    };
}

between_tensors!(Add, add);
between_tensors!(Sub, sub);
between_tensors!(Mul, mul);
between_tensors!(Div, div);
between_tensors!(Rem, rem);

between_tensors!(BitAnd, bitand, Bool: BoolOps, B::bool_and);
between_tensors!(BitOr, bitor, Bool: BoolOps, B::bool_or);
between_tensors!(BitXor, bitxor, Bool: BoolOps, B::bool_xor);

between_tensors!(BitAnd, bitand, Int: IntOps, B::int_bitwise_and);
between_tensors!(BitOr, bitor, Int: IntOps, B::int_bitwise_or);
between_tensors!(BitXor, bitxor, Int: IntOps, B::int_bitwise_xor);
between_tensors!(Shl, shl, Int: IntOps, B::int_shift_left);
between_tensors!(Shr, shr, Int: IntOps, B::int_shift_right);

with_scalar!(Float: FloatOps, Add add B::float_add_scalar, Sub sub B::float_sub_scalar, Mul mul B::float_mul_scalar,
    Div div B::float_div_scalar, Rem rem B::float_rem_scalar);
with_scalar!(Int: IntOps, Add add B::int_add_scalar, Sub sub B::int_sub_scalar, Mul mul B::int_mul_scalar,
    Div div B::int_div_scalar, Rem rem B::int_rem_scalar, BitAnd bitand B::int_bitwise_and_scalar,
    BitOr bitor B::int_bitwise_or_scalar, BitXor bitxor B::int_bitwise_xor_scalar, Shl shl B::int_shift_left_scalar,
    Shr shr B::int_shift_right_scalar);

from_scalar!(Float: FloatOps, f64);
from_scalar!(Int: IntOps, i64);

impl<const D: usize, K: NumericOps<B>, B: Backend> Tensor<D, K, B> {
    /// A tensor of one element that broadcasts with this one.
    fn scalar_beside(&self, value: K::Scalar) -> Self {
        Self::wrap(K::full([1; D].into(), value, self.dtype(), &self.primitive.device()))
    }
}

impl<const D: usize, K: NumericOps<B>, B: Backend> Neg for Tensor<D, K, B> {
    type Output = Self;

    #[inline]
    #[track_caller]
    fn neg(self) -> Self {
        Self::wrap(K::neg(self.primitive))
    }
}

impl<const D: usize, K: NumericOps<B>, B: Backend> Neg for &Tensor<D, K, B> {
    type Output = Tensor<D, K, B>;

    #[inline]
    #[track_caller]
    fn neg(self) -> Tensor<D, K, B> {
        -self.clone()
    }
}

/// The operator `!` of an owned or borrowed tensor.
macro_rules! inversion {
    ($kind:ident: $bound:ident, $op:expr) => {
        impl<const D: usize, B: $bound> Not for Tensor<D, $kind, B> {
            type Output = Self;

            #[inline]
            #[track_caller]
            fn not(self) -> Self {
                Self::wrap($op(self.primitive))
            }
        }

        impl<const D: usize, B: $bound> Not for &Tensor<D, $kind, B> {
            type Output = Tensor<D, $kind, B>;

            #[inline]
            #[track_caller]
            fn not(self) -> Tensor<D, $kind, B> {
                !self.clone()
            }
        }
    };
}

inversion!(Bool: BoolOps, B::bool_not);
inversion!(Int: IntOps, B::int_bitwise_not);
