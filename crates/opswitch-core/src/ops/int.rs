//! Integer ops.
//!
//! Arithmetic wraps around, division rounds towards zero, and the remainder has the sign of the divisor. Inputs have the
//! same element type, which results keep. Indices are ints of any type.

use opswitch_macros::backend_extension;

use super::{PadMode, formulas};
use crate::{
    backend::{BoolTensor, Device, FloatTensor, IntTensor, TensorHandle},
    dtype::DType,
    error::OrRaise,
    ops::BoolOps,
    shape::{Shape, check_dims},
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

    /// `x` with the elements that `slices` take replaced by `value`, which broadcasts to their shape.
    fn int_slice_assign(x: IntTensor<Self>, slices: &[Slice], value: IntTensor<Self>) -> IntTensor<Self>;

    /// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension; `dim` counts them.
    fn int_unfold(x: IntTensor<Self>, dim: usize, size: usize, step: usize) -> IntTensor<Self>;

    /// The tensors joined along `dim`; they agree in every other dimension.
    fn int_cat(tensors: Vec<IntTensor<Self>>, dim: usize) -> IntTensor<Self>;

    /// The tensor repeated, as often in each dimension as `times` says: `[1, 2]` becomes `[1, 2, 1, 2]`.
    #[backward(default)]
    fn int_repeat(x: IntTensor<Self>, times: &[usize]) -> IntTensor<Self> {
        let [split, expanded, merged] = formulas::repetition("int_repeat", &x.shape(), times);
        Self::int_reshape(Self::int_expand(Self::int_reshape(x, split), expanded), merged)
    }

    /// The tensor with as many elements before and after it, in each dimension, as `pads` says. A constant wraps to the
    /// element type.
    ///
    /// # Panics
    ///
    /// Also if a dimension without elements is padded with its own, or is reflected beyond its extent.
    #[backward(default)]
    fn int_pad(x: IntTensor<Self>, pads: &[(usize, usize)], mode: PadMode<i64>) -> IntTensor<Self> {
        let (shape, device) = (x.shape(), x.device());
        if let PadMode::Constant(value) = mode {
            let (framed, inside) = formulas::frame("int_pad", &shape, pads);
            return Self::int_slice_assign(Self::int_full(framed, value, x.dtype(), &device), &inside, x);
        }
        let border = formulas::border::<Self, _>("int_pad", &shape, pads, mode, &device);
        border.into_iter().fold(x, |x, (dim, index)| Self::int_select(x, dim, index))
    }

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

    /// -1, 0 or 1.
    fn int_sign(x: IntTensor<Self>) -> IntTensor<Self>;

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

    /// Every bit inverted: -x - 1 for signed integers.
    fn int_bitwise_not(x: IntTensor<Self>) -> IntTensor<Self>;

    /// The bits that are 1 in both.
    fn int_bitwise_and(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// The bits that are 1 in one of them.
    fn int_bitwise_or(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// The bits that are 1 in exactly one of them.
    fn int_bitwise_xor(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// The bits that are 1 in both x and the scalar, which wraps to the element type.
    fn int_bitwise_and_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// The bits that are 1 in x or the scalar, which wraps to the element type.
    fn int_bitwise_or_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// The bits that are 1 in exactly one of x and the scalar, which wraps to the element type.
    fn int_bitwise_xor_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// The bits of lhs moved up by rhs places, with zeros behind them.
    ///
    /// An amount that is negative, or not less than the number of bits, moves all of them out: the result is 0.
    fn int_shift_left(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// The bits of lhs moved down by rhs places: lhs / 2<sup>rhs</sup>, rounded down. The sign moves in behind them; unsigned
    /// integers have zeros there.
    ///
    /// An amount that is negative, or not less than the number of bits, moves all of them out: the result is -1 for a negative
    /// number, 0 for any other.
    fn int_shift_right(lhs: IntTensor<Self>, rhs: IntTensor<Self>) -> IntTensor<Self>;

    /// The bits of x moved up by as many places as the scalar says, as [`int_shift_left`](Self::int_shift_left) moves them.
    fn int_shift_left_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

    /// The bits of x moved down by as many places as the scalar says, as [`int_shift_right`](Self::int_shift_right) moves them.
    fn int_shift_right_scalar(x: IntTensor<Self>, scalar: i64) -> IntTensor<Self>;

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

    /// The product over `dims`, wrapping around; 1 over nothing.
    fn int_prod(x: IntTensor<Self>, dims: &[usize], keep_dims: bool) -> IntTensor<Self>;

    /// The sums of the elements up to each, itself included, along `dim`, wrapping around.
    fn int_cumsum(x: IntTensor<Self>, dim: usize) -> IntTensor<Self>;

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

    /// Where the greatest element along `dim` is, the first at a tie. Indices are [`int_dtype`](crate::Backend::int_dtype).
    ///
    /// # Panics
    ///
    /// Also over nothing, unless the result is empty too.
    fn int_argmax(x: IntTensor<Self>, dim: usize, keep_dims: bool) -> IntTensor<Self>;

    /// Where the least element along `dim` is, the first at a tie. Indices are [`int_dtype`](crate::Backend::int_dtype).
    ///
    /// # Panics
    ///
    /// Also over nothing, unless the result is empty too.
    fn int_argmin(x: IntTensor<Self>, dim: usize, keep_dims: bool) -> IntTensor<Self>;

    /// Whether an element over `dims` is not 0; `false` over nothing.
    #[backward(default)]
    fn int_any(x: IntTensor<Self>, dims: &[usize], keep_dims: bool) -> BoolTensor<Self> {
        check_dims("int_any", &x.shape(), dims).or_raise();
        Self::bool_any(Self::int_into_bool(x), dims, keep_dims)
    }

    /// Whether no element over `dims` is 0; `true` over nothing.
    #[backward(default)]
    fn int_all(x: IntTensor<Self>, dims: &[usize], keep_dims: bool) -> BoolTensor<Self> {
        check_dims("int_all", &x.shape(), dims).or_raise();
        Self::bool_all(Self::int_into_bool(x), dims, keep_dims)
    }

    /// For each position of `index`, the element of `x` with that index in dimension `dim`. `index` has the shape of `x`
    /// in every other dimension.
    fn int_gather(x: IntTensor<Self>, dim: usize, index: IntTensor<Self>) -> IntTensor<Self>;

    /// `x` with each element of `src` added, wrapping around, where [`int_gather`](Self::int_gather) would read.
    fn int_scatter_add(
        x: IntTensor<Self>,
        dim: usize,
        index: IntTensor<Self>,
        src: IntTensor<Self>,
    ) -> IntTensor<Self>;

    /// The slices of `x` along `dim` with the indices of the vector `index`.
    fn int_select(x: IntTensor<Self>, dim: usize, index: IntTensor<Self>) -> IntTensor<Self>;

    /// `x` with each slice of `src` added, wrapping around, where [`int_select`](Self::int_select) would read.
    fn int_select_add(
        x: IntTensor<Self>,
        dim: usize,
        index: IntTensor<Self>,
        src: IntTensor<Self>,
    ) -> IntTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; all three broadcast.
    fn int_mask_where(x: IntTensor<Self>, mask: BoolTensor<Self>, value: IntTensor<Self>) -> IntTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; the mask broadcasts with `x`.
    fn int_mask_fill(x: IntTensor<Self>, mask: BoolTensor<Self>, value: i64) -> IntTensor<Self>;

    /// A new last dimension of `num_classes`: 1 at the index, 0 elsewhere.
    fn int_one_hot(index: IntTensor<Self>, num_classes: usize, dtype: DType) -> IntTensor<Self>;
}
