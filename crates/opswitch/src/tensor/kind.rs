//! The ops of each kind of tensor under one name, so that a method that several kinds have is written once.

use opswitch_core::{
    Backend, Bool, BoolTensor, DType, DataError, Device, Float, Int, IntTensor, Shape, Slice, TensorData,
    TensorKind,
    ops::{BoolOps, FloatOps, IntOps, PadMode},
};

type Primitive<K, B> = <K as TensorKind>::Primitive<B>;

/// A kind of tensor whose elements are plain values: [`Float`], [`Int`] or [`Bool`].
pub trait ElementKind: TensorKind {
    /// The scalars that its ops take.
    type Scalar: Copy;

    /// The element type of a new tensor for which none is named: `f32`, `bool`, or what
    /// [`Backend::int_dtype`] says.
    fn default_dtype<B: Backend>(device: &Device<B>) -> DType;

    /// Whether tensors of this kind can have this element type.
    fn holds(dtype: DType) -> bool;
}

impl ElementKind for Float {
    type Scalar = f64;

    fn default_dtype<B: Backend>(_: &Device<B>) -> DType {
        DType::F32
    }

    fn holds(dtype: DType) -> bool {
        dtype.is_float()
    }
}

impl ElementKind for Int {
    type Scalar = i64;

    fn default_dtype<B: Backend>(device: &Device<B>) -> DType {
        B::int_dtype(device)
    }

    fn holds(dtype: DType) -> bool {
        dtype.is_int()
    }
}

impl ElementKind for Bool {
    type Scalar = bool;

    fn default_dtype<B: Backend>(_: &Device<B>) -> DType {
        DType::Bool
    }

    fn holds(dtype: DType) -> bool {
        dtype == DType::Bool
    }
}

/// A Rust value that stands beside a tensor of kind `K`: `f64`, `f32`, `i64`, `i32` or `usize` beside floats, the integers
/// among them beside ints, and `bool` beside bools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar for `{K}` tensors",
    label = "not a number that `{K}` tensors work with",
    note = "`Float` tensors take `f64`, `f32`, `i64`, `i32` and `usize`; `Int` tensors take `i64`, `i32` and `usize`"
)]
pub trait Scalar<K: ElementKind>: Copy {
    /// The number as the ops take it.
    fn to_scalar(self) -> K::Scalar;
}

macro_rules! scalars {
    ($kind:ident, $scalar:ty: $($ty:ty)*) => {$(
        impl Scalar<$kind> for $ty {
            #[inline]
            #[allow(clippy::cast_lossless, reason = "one cast for all types")]
            fn to_scalar(self) -> $scalar {
                self as $scalar
            }
        }
    )*};
}

scalars!(Float, f64: f64 f32 i64 i32 usize);
scalars!(Int, i64: i64 i32 usize);

impl Scalar<Bool> for bool {
    #[inline]
    fn to_scalar(self) -> bool {
        self
    }
}

macro_rules! kind_ops {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $output:ty, $float:ident, $int:ident, $bool:ident;)*) => {
        /// A kind of tensor with the ops that [`Float`], [`Int`] and [`Bool`] share.
        ///
        /// Holds for every backend with the op family of the kind; it is named in bounds, not implemented by users.
        pub trait KindOps<B: Backend>: ElementKind {
            #[doc(hidden)]
            #[track_caller]
            fn full(shape: Shape, value: Self::Scalar, dtype: DType, device: &Device<B>) -> Primitive<Self, B>;
            $(
                #[doc(hidden)]
                #[track_caller]
                fn $name($($arg: $ty),*) -> $output;
            )*
        }

        impl<B: FloatOps> KindOps<B> for Float {
            #[inline]
            fn full(shape: Shape, value: f64, dtype: DType, device: &Device<B>) -> Primitive<Self, B> {
                B::float_full(shape, value, dtype, device)
            }
            $(
                #[inline]
                fn $name($($arg: $ty),*) -> $output {
                    B::$float($($arg),*)
                }
            )*
        }

        impl<B: IntOps> KindOps<B> for Int {
            #[inline]
            fn full(shape: Shape, value: i64, dtype: DType, device: &Device<B>) -> Primitive<Self, B> {
                B::int_full(shape, value, dtype, device)
            }
            $(
                #[inline]
                fn $name($($arg: $ty),*) -> $output {
                    B::$int($($arg),*)
                }
            )*
        }

        impl<B: BoolOps> KindOps<B> for Bool {
            #[inline]
            fn full(shape: Shape, value: bool, _: DType, device: &Device<B>) -> Primitive<Self, B> {
                B::bool_full(shape, value, device)
            }
            $(
                #[inline]
                fn $name($($arg: $ty),*) -> $output {
                    B::$bool($($arg),*)
                }
            )*
        }
    };
}

kind_ops! {
    fn into_data_blocking(x: Primitive<Self, B>) -> Result<TensorData, DataError>,
        float_into_data_blocking, int_into_data_blocking, bool_into_data_blocking;
    fn reshape(x: Primitive<Self, B>, shape: Shape) -> Primitive<Self, B>,
        float_reshape, int_reshape, bool_reshape;
    fn permute(x: Primitive<Self, B>, axes: &[usize]) -> Primitive<Self, B>,
        float_permute, int_permute, bool_permute;
    fn swap_dims(x: Primitive<Self, B>, dim1: usize, dim2: usize) -> Primitive<Self, B>,
        float_swap_dims, int_swap_dims, bool_swap_dims;
    fn expand(x: Primitive<Self, B>, shape: Shape) -> Primitive<Self, B>,
        float_expand, int_expand, bool_expand;
    fn flip(x: Primitive<Self, B>, dims: &[usize]) -> Primitive<Self, B>, float_flip, int_flip, bool_flip;
    fn slice(x: Primitive<Self, B>, slices: &[Slice]) -> Primitive<Self, B>,
        float_slice, int_slice, bool_slice;
    fn slice_assign(x: Primitive<Self, B>, slices: &[Slice], value: Primitive<Self, B>) -> Primitive<Self, B>,
        float_slice_assign, int_slice_assign, bool_slice_assign;
    fn cat(tensors: Vec<Primitive<Self, B>>, dim: usize) -> Primitive<Self, B>, float_cat, int_cat, bool_cat;
    fn repeat(x: Primitive<Self, B>, times: &[usize]) -> Primitive<Self, B>,
        float_repeat, int_repeat, bool_repeat;
    fn pad(x: Primitive<Self, B>, pads: &[(usize, usize)], mode: PadMode<Self::Scalar>) -> Primitive<Self, B>,
        float_pad, int_pad, bool_pad;
    fn unfold(x: Primitive<Self, B>, dim: usize, size: usize, step: usize) -> Primitive<Self, B>,
        float_unfold, int_unfold, bool_unfold;
    fn eq(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> BoolTensor<B>, float_eq, int_eq, bool_eq;
    fn ne(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> BoolTensor<B>, float_ne, int_ne, bool_ne;
    fn gather(x: Primitive<Self, B>, dim: usize, index: IntTensor<B>) -> Primitive<Self, B>,
        float_gather, int_gather, bool_gather;
    fn select(x: Primitive<Self, B>, dim: usize, index: IntTensor<B>) -> Primitive<Self, B>,
        float_select, int_select, bool_select;
    fn mask_where(x: Primitive<Self, B>, mask: BoolTensor<B>, value: Primitive<Self, B>) -> Primitive<Self, B>,
        float_mask_where, int_mask_where, bool_mask_where;
    fn mask_fill(x: Primitive<Self, B>, mask: BoolTensor<B>, value: Self::Scalar) -> Primitive<Self, B>,
        float_mask_fill, int_mask_fill, bool_mask_fill;
}

macro_rules! numeric_ops {
    ($($(#[$attr:meta])* fn $name:ident($($arg:ident: $ty:ty),*) -> $output:ty, $float:ident, $int:ident;)*) => {
        /// A kind of tensor with the ops that [`Float`] and [`Int`] share.
        ///
        /// Holds for every backend with the op family of the kind; it is named in bounds, not implemented by users.
        pub trait NumericOps<B: Backend>: KindOps<B> {
            $(
                #[doc(hidden)]
                #[track_caller]
                fn $name($($arg: $ty),*) -> $output;
            )*
        }

        impl<B: FloatOps> NumericOps<B> for Float {
            $(
                #[inline]
                fn $name($($arg: $ty),*) -> $output {
                    B::$float($($arg),*)
                }
            )*
        }

        impl<B: IntOps> NumericOps<B> for Int {
            $(
                #[inline]
                fn $name($($arg: $ty),*) -> $output {
                    B::$int($($arg),*)
                }
            )*
        }
    };
}

numeric_ops! {
    fn zeros(shape: Shape, dtype: DType, device: &Device<B>) -> Primitive<Self, B>, float_zeros, int_zeros;
    fn ones(shape: Shape, dtype: DType, device: &Device<B>) -> Primitive<Self, B>, float_ones, int_ones;
    fn cast(x: Primitive<Self, B>, dtype: DType) -> Primitive<Self, B>, float_cast, int_cast;
    fn neg(x: Primitive<Self, B>) -> Primitive<Self, B>, float_neg, int_neg;
    fn abs(x: Primitive<Self, B>) -> Primitive<Self, B>, float_abs, int_abs;
    fn sign(x: Primitive<Self, B>) -> Primitive<Self, B>, float_sign, int_sign;
    fn add(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> Primitive<Self, B>, float_add, int_add;
    fn sub(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> Primitive<Self, B>, float_sub, int_sub;
    fn mul(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> Primitive<Self, B>, float_mul, int_mul;
    fn div(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> Primitive<Self, B>, float_div, int_div;
    fn rem(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> Primitive<Self, B>, float_rem, int_rem;
    fn lt(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> BoolTensor<B>, float_lt, int_lt;
    fn le(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> BoolTensor<B>, float_le, int_le;
    fn gt(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> BoolTensor<B>, float_gt, int_gt;
    fn ge(lhs: Primitive<Self, B>, rhs: Primitive<Self, B>) -> BoolTensor<B>, float_ge, int_ge;
    fn eq_scalar(x: Primitive<Self, B>, scalar: Self::Scalar) -> BoolTensor<B>,
        float_eq_scalar, int_eq_scalar;
    fn ne_scalar(x: Primitive<Self, B>, scalar: Self::Scalar) -> BoolTensor<B>,
        float_ne_scalar, int_ne_scalar;
    fn lt_scalar(x: Primitive<Self, B>, scalar: Self::Scalar) -> BoolTensor<B>,
        float_lt_scalar, int_lt_scalar;
    fn le_scalar(x: Primitive<Self, B>, scalar: Self::Scalar) -> BoolTensor<B>,
        float_le_scalar, int_le_scalar;
    fn gt_scalar(x: Primitive<Self, B>, scalar: Self::Scalar) -> BoolTensor<B>,
        float_gt_scalar, int_gt_scalar;
    fn ge_scalar(x: Primitive<Self, B>, scalar: Self::Scalar) -> BoolTensor<B>,
        float_ge_scalar, int_ge_scalar;
    fn sum(x: Primitive<Self, B>, dims: &[usize], keep_dims: bool) -> Primitive<Self, B>, float_sum, int_sum;
    fn max(x: Primitive<Self, B>, dims: &[usize], keep_dims: bool) -> Primitive<Self, B>, float_max, int_max;
    fn min(x: Primitive<Self, B>, dims: &[usize], keep_dims: bool) -> Primitive<Self, B>, float_min, int_min;
    fn argmax(x: Primitive<Self, B>, dim: usize, keep_dims: bool) -> IntTensor<B>, float_argmax, int_argmax;
    fn argmin(x: Primitive<Self, B>, dim: usize, keep_dims: bool) -> IntTensor<B>, float_argmin, int_argmin;
    fn scatter_add(x: Primitive<Self, B>, dim: usize, index: IntTensor<B>, src: Primitive<Self, B>)
        -> Primitive<Self, B>, float_scatter_add, int_scatter_add;
    fn select_add(x: Primitive<Self, B>, dim: usize, index: IntTensor<B>, src: Primitive<Self, B>)
        -> Primitive<Self, B>, float_select_add, int_select_add;
}
