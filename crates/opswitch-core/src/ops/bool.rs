//! Boolean ops.

use opswitch_macros::backend_extension;

use super::{PadMode, formulas};
use crate::{
    backend::{Backend, BoolTensor, Device, FloatTensor, IntTensor, TensorHandle},
    dtype::DType,
    shape::Shape,
    slice::Slice,
};

/// Creation, movement, logic, reduction and indexing of boolean tensors.
///
/// # Panics
///
/// Every op panics with a [`ShapeError`](crate::ShapeError) text, at the caller's line, if shapes or dimensions do not fit.
/// An index out of range panics where the backend can see it.
#[backend_extension(crate = crate)]
#[backward(none)]
pub trait BoolOps: Backend {
    /// A tensor in which every element is `value`.
    fn bool_full(shape: Shape, value: bool, device: &Device<Self>) -> BoolTensor<Self>;

    /// The same elements in row-major order under another shape.
    fn bool_reshape(x: BoolTensor<Self>, shape: Shape) -> BoolTensor<Self>;

    /// The dimensions in the order of `axes`.
    fn bool_permute(x: BoolTensor<Self>, axes: &[usize]) -> BoolTensor<Self>;

    /// The dimensions `dim1` and `dim2` exchanged.
    fn bool_swap_dims(x: BoolTensor<Self>, dim1: usize, dim2: usize) -> BoolTensor<Self>;

    /// Extents of 1, and new leading dimensions, repeated to `shape`.
    fn bool_expand(x: BoolTensor<Self>, shape: Shape) -> BoolTensor<Self>;

    /// The order of the elements reversed along `dims`.
    fn bool_flip(x: BoolTensor<Self>, dims: &[usize]) -> BoolTensor<Self>;

    /// The elements that `slices` take, one slice a dimension; dimensions beyond the last slice are taken whole.
    fn bool_slice(x: BoolTensor<Self>, slices: &[Slice]) -> BoolTensor<Self>;

    /// `x` with the elements that `slices` take replaced by `value`, which broadcasts to their shape.
    fn bool_slice_assign(x: BoolTensor<Self>, slices: &[Slice], value: BoolTensor<Self>) -> BoolTensor<Self>;

    /// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension; `dim` counts them.
    fn bool_unfold(x: BoolTensor<Self>, dim: usize, size: usize, step: usize) -> BoolTensor<Self>;

    /// The tensors joined along `dim`; they agree in every other dimension.
    fn bool_cat(tensors: Vec<BoolTensor<Self>>, dim: usize) -> BoolTensor<Self>;

    /// The tensor repeated, as often in each dimension as `times` says: `[true, false]` becomes
    /// `[true, false, true, false]`.
    #[backward(default)]
    fn bool_repeat(x: BoolTensor<Self>, times: &[usize]) -> BoolTensor<Self> {
        let [split, expanded, merged] = formulas::repetition("bool_repeat", &x.shape(), times);
        Self::bool_reshape(Self::bool_expand(Self::bool_reshape(x, split), expanded), merged)
    }

    /// The tensor with as many elements before and after it, in each dimension, as `pads` says.
    ///
    /// # Panics
    ///
    /// Also if a dimension without elements is padded with its own, or is reflected beyond its extent.
    #[backward(default)]
    fn bool_pad(x: BoolTensor<Self>, pads: &[(usize, usize)], mode: PadMode<bool>) -> BoolTensor<Self> {
        let (shape, device) = (x.shape(), x.device());
        if let PadMode::Constant(value) = mode {
            let (framed, inside) = formulas::frame("bool_pad", &shape, pads);
            return Self::bool_slice_assign(Self::bool_full(framed, value, &device), &inside, x);
        }
        let border = formulas::border::<Self, _>("bool_pad", &shape, pads, mode, &device);
        border.into_iter().fold(x, |x, (dim, index)| Self::bool_select(x, dim, index))
    }

    /// 1 where an element is `true`, 0 elsewhere.
    fn bool_into_int(x: BoolTensor<Self>, dtype: DType) -> IntTensor<Self>;

    /// 1 where an element is `true`, 0 elsewhere.
    fn bool_into_float(x: BoolTensor<Self>, dtype: DType) -> FloatTensor<Self>;

    /// `true` where x is `false`.
    fn bool_not(x: BoolTensor<Self>) -> BoolTensor<Self>;

    /// `true` where both are.
    fn bool_and(lhs: BoolTensor<Self>, rhs: BoolTensor<Self>) -> BoolTensor<Self>;

    /// `true` where one of them is.
    fn bool_or(lhs: BoolTensor<Self>, rhs: BoolTensor<Self>) -> BoolTensor<Self>;

    /// `true` where exactly one of them is.
    fn bool_xor(lhs: BoolTensor<Self>, rhs: BoolTensor<Self>) -> BoolTensor<Self>;

    /// `true` where they are equal.
    fn bool_eq(lhs: BoolTensor<Self>, rhs: BoolTensor<Self>) -> BoolTensor<Self>;

    /// `true` where they differ.
    #[backward(default)]
    fn bool_ne(lhs: BoolTensor<Self>, rhs: BoolTensor<Self>) -> BoolTensor<Self> {
        Self::bool_xor(lhs, rhs)
    }

    /// Whether an element over `dims` is `true`; `false` over nothing.
    fn bool_any(x: BoolTensor<Self>, dims: &[usize], keep_dims: bool) -> BoolTensor<Self>;

    /// Whether every element over `dims` is `true`; `true` over nothing.
    fn bool_all(x: BoolTensor<Self>, dims: &[usize], keep_dims: bool) -> BoolTensor<Self>;

    /// For each position of `index`, the element of `x` with that index in dimension `dim`. `index` has the shape of `x`
    /// in every other dimension.
    fn bool_gather(x: BoolTensor<Self>, dim: usize, index: IntTensor<Self>) -> BoolTensor<Self>;

    /// The slices of `x` along `dim` with the indices of the vector `index`.
    fn bool_select(x: BoolTensor<Self>, dim: usize, index: IntTensor<Self>) -> BoolTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; all three broadcast.
    fn bool_mask_where(
        x: BoolTensor<Self>,
        mask: BoolTensor<Self>,
        value: BoolTensor<Self>,
    ) -> BoolTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; the mask broadcasts with `x`.
    fn bool_mask_fill(x: BoolTensor<Self>, mask: BoolTensor<Self>, value: bool) -> BoolTensor<Self>;
}
