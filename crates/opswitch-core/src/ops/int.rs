//! Integer ops.
//!
//! Arithmetic wraps around, division rounds towards zero, and the remainder has the sign of the divisor. Inputs have the
//! same element type, which results keep. Indices are ints of any type.

use opswitch_macros::backend_extension;

use crate::{
    backend::{BoolTensor, Device, FloatTensor, IntTensor},
    dtype::DType,
    ops::BoolOps,
    shape::Shape,
    slice::Slice,
};

/// Creation, movement, arithmetic, comparison, reduction and indexing of integer tensors.
///
/// # Panics
///
/// Every op panics with a [`ShapeError`](crate::ShapeError) text, at the caller's line, if shapes or dimensions do not fit, and with
/// a text that names both element types if they differ.
#[backend_extension(crate = crate)]
#[backward(none)]
pub trait IntOps: BoolOps {
    /// A tensor of zeros.
    fn int_zeros(shape: Shape, dtype: DType, device: &Device<Self>) -> IntTensor<Self>;

    /// A tensor of ones.
    fn int_ones(shape: Shape, dtype: DType, device: &Device<Self>) -> IntTensor<Self>;

    /// A tensor in which every element is `value`, wrapped to `dtype`.
    fn int_full(shape: Shape, value: i64, dtype: DType, device: &Device<Self>) -> IntTensor<Self>;

    /// The vector `start, start + step, ..` up to but without `end`.
    ///
    /// # Panics
    ///
    /// If `step` is 0.
    fn int_arange(start: i64, end: i64, step: i64, dtype: DType, device: &Device<Self>) -> IntTensor<Self>;

    /// The same elements in row-major order under another shape.
    fn int_reshape(x: IntTensor<Self>, shape: Shape) -> IntTensor<Self>;

    /// The dimensions in the order of `axes`.
    fn int_permute(x: IntTensor<Self>, axes: &[usize]) -> IntTensor<Self>;

    /// The dimensions `dim1` and `dim2` exchanged.
    fn int_swap_dims(x: IntTensor<Self>, dim1: usize, dim2: usize) -> IntTensor<Self>;

    /// Extents of 1, and new leading dimensions, repeated to `shape`.
    fn int_expand(x: IntTensor<Self>, shape: Shape) -> IntTensor<Self>;

    /// The order of the elements reversed along `dims`.
    fn int_flip(x: IntTensor<Self>, dims: &[usize]) -> IntTensor<Self>;

    /// The elements that `slices` take, one slice a dimension; dimensions beyond the last slice are taken whole.
    fn int_slice(x: IntTensor<Self>, slices: &[Slice]) -> IntTensor<Self>;

    /// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension; `dim` counts them.
    fn int_unfold(x: IntTensor<Self>, dim: usize, size: usize, step: usize) -> IntTensor<Self>;

    /// The tensors joined along `dim`; they agree in every other dimension.
    fn int_cat(tensors: Vec<IntTensor<Self>>, dim: usize) -> IntTensor<Self>;

    /// The elements converted to another integer type, wrapping around.
    fn int_cast(x: IntTensor<Self>, dtype: DType) -> IntTensor<Self>;

    /// The elements converted to a float type, rounded to nearest even.
    fn int_into_float(x: IntTensor<Self>, dtype: DType) -> FloatTensor<Self>;

    /// `true` where an element is not 0.
    fn int_into_bool(x: IntTensor<Self>) -> BoolTensor<Self>;

    /// -x, wrapping around.
    fn int_neg(x: IntTensor<Self>) -> IntTensor<Self>;

    /// |x|, wrapping around.
    fn int_abs(x: IntTensor<Self>) -> IntTensor<Self>;

    /// lhs + rhs, wrapping around.
    fn int_add(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// lhs - rhs, wrapping around.
    fn int_sub(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// lhs * rhs, wrapping around.
    fn int_mul(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// lhs / rhs, rounded towards zero.
    ///
    /// # Panics
    ///
    /// Also if an element of `rhs` is 0, where the backend can see it.
    fn int_div(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// The remainder with the sign of `rhs`.
    ///
    /// # Panics
    ///
    /// Also if an element of `rhs` is 0, where the backend can see it.
    fn int_rem(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// x + scalar, wrapping around.
    fn int_add_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// x - scalar, wrapping around.
    fn int_sub_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// x * scalar, wrapping around.
    fn int_mul_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// x / scalar, rounded towards zero.
    ///
    /// # Panics
    ///
    /// If the scalar is 0.
    fn int_div_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// The remainder of x / scalar, with the sign of the scalar.
    ///
    /// # Panics
    ///
    /// If the scalar is 0.
    fn int_rem_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// lhs = rhs.
    fn int_eq(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> BoolTensor<Self>;

    /// lhs ≠ rhs.
    fn int_ne(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> BoolTensor<Self>;

    /// lhs < rhs.
    fn int_lt(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> BoolTensor<Self>;

    /// lhs ≤ rhs.
    fn int_le(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> BoolTensor<Self>;

    /// lhs > rhs.
    fn int_gt(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> BoolTensor<Self>;

    /// lhs ≥ rhs.
    fn int_ge(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> BoolTensor<Self>;

    /// x = scalar.
    fn int_eq_scalar(x: IntTensor<Self>, scalar: i64) -> BoolTensor<Self>;

    /// x ≠ scalar.
    fn int_ne_scalar(x: IntTensor<Self>, scalar: i64) -> BoolTensor<Self>;

    /// x < scalar.
    fn int_lt_scalar(x: IntTensor<Self>, scalar: i64) -> BoolTensor<Self>;

    /// x ≤ scalar.
    fn int_le_scalar(x: IntTensor<Self>, scalar: i64) -> BoolTensor<Self>;

    /// x > scalar.
    fn int_gt_scalar(x: IntTensor<Self>, scalar: i64) -> BoolTensor<Self>;

    /// x ≥ scalar.
    fn int_ge_scalar(x: IntTensor<Self>, scalar: i64) -> BoolTensor<Self>;

    /// The sum over `dims`, wrapping around; 0 over nothing.
    fn int_sum(x: IntTensor<Self>, dims: &[usize], keep_dims: bool) -> IntTensor<Self>;

    /// The greatest element over `dims`.
    ///
    /// # Panics
    ///
    /// Also over nothing, unless the result is empty too.
    fn int_max(x: IntTensor<Self>, dims: &[usize], keep_dims: bool) -> IntTensor<Self>;

    /// The least element over `dims`.
    ///
    /// # Panics
    ///
    /// Also over nothing, unless the result is empty too.
    fn int_min(x: IntTensor<Self>, dims: &[usize], keep_dims: bool) -> IntTensor<Self>;

    /// For each position of `index`, the element of `x` with that index in dimension `dim`. `index` has the shape of `x`
    /// in every other dimension.
    fn int_gather(x: IntTensor<Self>, dim: usize, index: IntTensor<Self>) -> IntTensor<Self>;

    /// The slices of `x` along `dim` with the indices of the vector `index`.
    fn int_select(x: IntTensor<Self>, dim: usize, index: IntTensor<Self>) -> IntTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; all three broadcast.
    fn int_mask_where(x: IntTensor<Self>, mask: BoolTensor<Self>, value: IntTensor<Self>) -> IntTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; the mask broadcasts with `x`.
    fn int_mask_fill(x: IntTensor<Self>, mask: BoolTensor<Self>, value: i64) -> IntTensor<Self>;
}
