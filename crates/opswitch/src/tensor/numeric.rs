//! Methods of float and integer tensors.

use opswitch_core::{Backend, Bool, DType, Int, TensorHandle};

use super::{
    NumericOps, Scalar, Tensor,
    dims::{all_dims, resolve_dim, resolve_dims},
};

/// A comparison with a tensor and one with a scalar.
macro_rules! comparisons {
    ($($text:literal, $func:ident, $scalar_func:ident;)*) => {$(
        #[doc = concat!("`true` where the element ", $text, " that of `rhs`. NaN compares as IEEE 754 says.")]
        #[track_caller]
        pub fn $func(self, rhs: Self) -> Tensor<D, Bool, B> {
            Tensor::wrap(K::$func(self.primitive, rhs.primitive))
        }

        comparisons!(@scalar $text, $scalar_func);
    )*};
    (@scalar $text:literal, $scalar_func:ident) => {
        #[doc = concat!("`true` where the element ", $text, " the scalar, which is rounded to the element type of floats.")]
        #[track_caller]
        pub fn $scalar_func(self, scalar: impl Scalar<K>) -> Tensor<D, Bool, B> {
            Tensor::wrap(K::$scalar_func(self.primitive, scalar.to_scalar()))
        }
    };
}

/// A reduction over everything, one dimension, and several.
macro_rules! reductions {
    ($($op:ident: $text:literal, $nothing:literal, $func:ident, $func_dim:ident, $func_dims:ident;)*) => {$(
        #[doc = concat!($text, " of all elements. ", $nothing)]
        #[track_caller]
        pub fn $func(self) -> Tensor<0, K, B> {
            Tensor::wrap(K::$op(self.primitive, &all_dims::<D>(), false))
        }

        #[doc = concat!($text, " along `dim`, whose extent becomes 1. ", $nothing)]
        ///
        /// # Panics
        ///
        /// If there is no dimension `dim`.
        #[track_caller]
        pub fn $func_dim(self, dim: isize) -> Self {
            let dim = resolve_dim(stringify!($func_dim), &self.primitive.shape(), dim);
            Self::wrap(K::$op(self.primitive, &[dim], true))
        }

        #[doc = concat!($text, " along several dimensions, whose extents become 1. ", $nothing)]
        ///
        /// # Panics
        ///
        /// If a dimension does not exist, or is given twice.
        #[track_caller]
        pub fn $func_dims<const N: usize>(self, dims: [isize; N]) -> Self {
            let dims = resolve_dims(stringify!($func_dims), &self.primitive.shape(), &dims);
            Self::wrap(K::$op(self.primitive, &dims, true))
        }
    )*};
}

impl<const D: usize, K: NumericOps<B>, B: Backend> Tensor<D, K, B> {
    /// The elements converted to another type of the same kind: floats round to nearest even, ints wrap around.
    ///
    /// # Panics
    ///
    /// If tensors of kind `K` cannot have this element type. To change the kind use `float`, `int` or `bool`.
    #[track_caller]
    pub fn cast(self, dtype: DType) -> Self {
        Self::wrap(K::cast(self.primitive, Self::check_dtype(dtype)))
    }

    /// The absolute values. The derivative at 0 is 0; ints wrap around.
    #[track_caller]
    pub fn abs(self) -> Self {
        Self::wrap(K::abs(self.primitive))
    }

    comparisons!(@scalar "equals", eq_scalar);
    comparisons!(@scalar "differs from", ne_scalar);
    comparisons! {
        "is less than", lt, lt_scalar;
        "is at most", le, le_scalar;
        "is greater than", gt, gt_scalar;
        "is at least", ge, ge_scalar;
    }

    reductions! {
        sum: "The sum", "It is 0 over nothing; ints wrap around.", sum, sum_dim, sum_dims;
        max: "The greatest", "NaN counts as the greatest, tied floats share the gradient, and nothing has none: that panics.",
            max, max_dim, max_dims;
        min: "The least", "NaN counts as the least, tied floats share the gradient, and nothing has none: that panics.",
            min, min_dim, min_dims;
    }

    /// -1, 0 or 1; NaN for NaN. The derivative is 0.
    #[track_caller]
    pub fn sign(self) -> Self {
        Self::wrap(K::sign(self.primitive))
    }

    /// Where the greatest element along `dim` is, whose extent becomes 1: the first at a tie, the first NaN if there is one.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, or nothing along it.
    #[track_caller]
    pub fn argmax(self, dim: isize) -> Tensor<D, Int, B> {
        let dim = resolve_dim("argmax", &self.primitive.shape(), dim);
        Tensor::wrap(K::argmax(self.primitive, dim, true))
    }

    /// Where the least element along `dim` is, whose extent becomes 1: the first at a tie, the first NaN if there is one.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, or nothing along it.
    #[track_caller]
    pub fn argmin(self, dim: isize) -> Tensor<D, Int, B> {
        let dim = resolve_dim("argmin", &self.primitive.shape(), dim);
        Tensor::wrap(K::argmin(self.primitive, dim, true))
    }
}
