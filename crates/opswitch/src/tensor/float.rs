//! Methods of float tensors, element by element and by index.

use opswitch_core::{Bool, DType, Float, Int, ShapeError, TensorHandle, ops::FloatOps, raise};

use super::{Scalar, Tensor};

macro_rules! unary {
    ($($(#[$attr:meta])* $func:ident => $op:ident;)*) => {$(
        $(#[$attr])*
        #[track_caller]
        pub fn $func(self) -> Self {
            Self::wrap(B::$op(self.primitive))
        }
    )*};
}

macro_rules! binary {
    ($($(#[$attr:meta])* $func:ident => $op:ident;)*) => {$(
        $(#[$attr])*
        #[track_caller]
        pub fn $func(self, rhs: Self) -> Self {
            Self::wrap(B::$op(self.primitive, rhs.primitive))
        }
    )*};
}

macro_rules! predicates {
    ($($(#[$attr:meta])* $func:ident => $op:ident;)*) => {$(
        $(#[$attr])*
        #[track_caller]
        pub fn $func(self) -> Tensor<D, Bool, B> {
            Tensor::wrap(B::$op(self.primitive))
        }
    )*};
}

impl<const D: usize, B: FloatOps> Tensor<D, Float, B> {
    unary! {
        /// e<sup>x</sup>.
        exp => float_exp;
        /// e<sup>x</sup> - 1, exact near 0.
        exp_m1 => float_exp_m1;
        /// The natural logarithm.
        ln => float_ln;
        /// ln(1 + x), exact near 0.
        ln_1p => float_ln_1p;
        /// The square root.
        sqrt => float_sqrt;
        /// 1 / sqrt(x).
        rsqrt => float_rsqrt;
        /// 1 / x.
        recip => float_recip;
        /// x².
        square => float_square;
        /// The sine of x in radians.
        sin => float_sin;
        /// The cosine of x in radians.
        cos => float_cos;
        /// The tangent of x in radians.
        tan => float_tan;
        /// The arc sine.
        asin => float_asin;
        /// The arc cosine.
        acos => float_acos;
        /// The arc tangent.
        atan => float_atan;
        /// The hyperbolic sine.
        sinh => float_sinh;
        /// The hyperbolic cosine.
        cosh => float_cosh;
        /// The hyperbolic tangent.
        tanh => float_tanh;
        /// The error function, 2/sqrt(π) ∫₀ˣ exp(-t²) dt.
        erf => float_erf;
        /// The largest integer not above x. The derivative is 0.
        floor => float_floor;
        /// The smallest integer not below x. The derivative is 0.
        ceil => float_ceil;
        /// The nearest integer, ties to even. The derivative is 0.
        round => float_round;
        /// x without its fraction. The derivative is 0.
        trunc => float_trunc;
        /// max(x, 0). The derivative at 0 is 0.
        relu => relu;
        /// 1 / (1 + e<sup>-x</sup>).
        sigmoid => sigmoid;
        /// ln(sigmoid(x)), without overflow.
        log_sigmoid => log_sigmoid;
        /// x Φ(x), with the exact distribution function Φ of the normal distribution (Hendrycks and Gimpel 2016).
        gelu => gelu;
        /// x sigmoid(x).
        silu => silu;
    }

    binary! {
        /// x to the power of `rhs`.
        powf => float_powf;
        /// The angle of the point (`rhs`, x), in radians.
        atan2 => float_atan2;
        /// The lesser of both; NaN if one is. At a tie each side has half the gradient.
        minimum => float_minimum;
        /// The greater of both; NaN if one is. At a tie each side has half the gradient.
        maximum => float_maximum;
    }

    predicates! {
        /// `true` where an element is NaN.
        is_nan => float_is_nan;
        /// `true` where an element is an infinity of either sign.
        is_inf => float_is_inf;
        /// `true` where an element is neither NaN nor infinite.
        is_finite => float_is_finite;
        /// `true` where an element is not 0.
        bool => float_into_bool;
    }

    /// ln(1 + e<sup>beta x</sup>) / beta, without overflow.
    #[track_caller]
    pub fn softplus(self, beta: impl Scalar<Float>) -> Self {
        Self::wrap(B::softplus(self.primitive, beta.to_scalar()))
    }

    /// x where it is positive, `negative_slope * x` elsewhere. The derivative at 0 is the slope.
    #[track_caller]
    pub fn leaky_relu(self, negative_slope: impl Scalar<Float>) -> Self {
        Self::wrap(B::leaky_relu(self.primitive, negative_slope.to_scalar()))
    }

    /// x to the power of the scalar.
    #[track_caller]
    pub fn powf_scalar(self, exponent: impl Scalar<Float>) -> Self {
        Self::wrap(B::float_powf_scalar(self.primitive, exponent.to_scalar()))
    }

    /// x to the power of an integer.
    #[track_caller]
    pub fn powi_scalar(self, exponent: i32) -> Self {
        Self::wrap(B::float_powi_scalar(self.primitive, exponent))
    }

    /// x limited to `min..=max`; NaN stays. The gradient passes at the bounds.
    #[track_caller]
    pub fn clamp(self, min: impl Scalar<Float>, max: impl Scalar<Float>) -> Self {
        Self::wrap(B::float_clamp(self.primitive, min.to_scalar(), max.to_scalar()))
    }

    /// x, or `min` where it is less. The gradient passes at the bound.
    #[track_caller]
    pub fn clamp_min(self, min: impl Scalar<Float>) -> Self {
        Self::wrap(B::float_clamp_min(self.primitive, min.to_scalar()))
    }

    /// x, or `max` where it is more. The gradient passes at the bound.
    #[track_caller]
    pub fn clamp_max(self, max: impl Scalar<Float>) -> Self {
        Self::wrap(B::float_clamp_max(self.primitive, max.to_scalar()))
    }

    /// The elements as ints of the device, rounded towards zero. No gradient flows through.
    #[track_caller]
    pub fn int(self) -> Tensor<D, Int, B> {
        let dtype = B::int_dtype(&self.device());
        self.int_with_dtype(dtype)
    }

    /// The elements as this integer type, rounded towards zero. No gradient flows through.
    ///
    /// # Panics
    ///
    /// If `dtype` is no integer type.
    #[track_caller]
    pub fn int_with_dtype(self, dtype: DType) -> Tensor<D, Int, B> {
        Tensor::wrap(B::float_into_int(self.primitive, Tensor::<D, Int, B>::check_dtype(dtype)))
    }

    /// The matrix product over the last two dimensions; the others broadcast.
    ///
    /// # Panics
    ///
    /// If `D` is less than 2, the columns of this tensor are not as many as the rows of `rhs`, or the batch dimensions do
    /// not broadcast.
    #[track_caller]
    pub fn matmul(self, rhs: Self) -> Self {
        if D < 2 {
            let (lhs, rhs) = (self.primitive.shape(), rhs.primitive.shape());
            raise(&ShapeError::pair(
                "matmul",
                &lhs,
                &rhs,
                "matrices have two dimensions or more; vectors have `dot`",
            ))
        }
        Self::wrap(B::float_matmul(self.primitive, rhs.primitive))
    }
}
