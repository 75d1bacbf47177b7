//! Boolean ops.

use opswitch_macros::backend_extension;

use crate::{
    backend::{Backend, BoolTensor, Device, FloatTensor, IntTensor},
    dtype::DType,
    shape::Shape,
    slice::Slice,
};

/// Creation, movement, logic and reduction of boolean tensors.
///
/// # Panics
///
/// Every op panics with a [`ShapeError`](crate::ShapeError) text, at the caller's line, if shapes or dimensions do not fit.
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

    /// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension; `dim` counts them.
    fn bool_unfold(x: BoolTensor<Self>, dim: usize, size: usize, step: usize) -> BoolTensor<Self>;

    /// The tensors joined along `dim`; they agree in every other dimension.
    fn bool_cat(tensors: Vec<BoolTensor<Self>>, dim: usize) -> BoolTensor<Self>;

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
}
