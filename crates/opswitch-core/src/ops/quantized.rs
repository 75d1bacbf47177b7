//! Quantized ops.

use opswitch_macros::backend_extension;

use super::formulas;
use crate::{
    backend::{FloatTensor, IntTensor, QuantizedTensor, TensorHandle},
    dtype::DType,
    error::OrRaise,
    ops::FloatOps,
    quantized::{QuantParts, QuantScheme},
    shape::{Shape, check_dim},
    slice::Slice,
};

/// Quantization, products of quantized matrices, and movement that keeps the scheme.
///
/// A quantized tensor holds integer codes, four or eight in a word, and the scales that a [`QuantScheme`] asks for, which are
/// `f64` for tensors that come from `f64` and else `f32`. No op here has a gradient: rounding has none to give, and codes
/// cannot be changed by a little.
///
/// A dispatch has this family if it is asked for, as in `extend_dispatch!(Compute: opswitch::ops::QuantizedOps)`: its backends
/// need [quantized tensors](crate::Packed). The `Dispatch` of the crate `opswitch` has it.
///
/// # Panics
///
/// Every op panics with a [`ShapeError`](crate::ShapeError) text, at the caller's line, if shapes or dimensions do not fit, which
/// includes the shape of a scale, the axis of channels, and an extent that blocks do not divide.
#[backend_extension(crate = crate)]
#[backward(none)]
pub trait QuantizedOps: FloatOps {
    /// The tensor of these parts, which fit each other. For the other ops of this family; [`q_from_codes`](Self::q_from_codes)
    /// checks what it is given.
    fn q_from_parts(parts: QuantParts<Self>) -> QuantizedTensor<Self>;

    /// The parts of a tensor.
    fn q_into_parts(q: QuantizedTensor<Self>) -> QuantParts<Self>;

    /// The codes `clamp(round(x / scale) + zero_point)` of numbers, rounded half to even. Halves are divided in `f32`. NaN
    /// has the code 0.
    ///
    /// The scale is of any float type and greater than 0; the zero point is there if the scheme is affine.
    fn quantize(
        x: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        zero_point: Option<IntTensor<Self>>,
        scheme: QuantScheme,
    ) -> QuantizedTensor<Self> {
        formulas::quantize::<Self>("quantize", x, scale, zero_point, scheme)
    }

    /// As [`quantize`](Self::quantize), with the least scale that reaches every number.
    ///
    /// That is max |x| / high for a symmetric scheme, whose codes go up to high. For an affine one it is
    /// (max(x, 0) - min(x, 0)) / (high - low), with the zero point low - round(min(x, 0) / scale). Where all numbers are 0, or
    /// there are none, it is 1.
    fn quantize_dynamic(x: FloatTensor<Self>, scheme: QuantScheme) -> QuantizedTensor<Self> {
        formulas::quantize_dynamic::<Self>("quantize_dynamic", x, scheme)
    }

    /// The numbers `(q - zero_point) * scale` of codes q, as this float type.
    fn dequantize(q: QuantizedTensor<Self>, dtype: DType) -> FloatTensor<Self> {
        formulas::dequantize::<Self>("dequantize", q, dtype)
    }

    /// A tensor of codes of any integer type, of which the low 8 or 4 bits count.
    fn q_from_codes(
        codes: IntTensor<Self>,
        scale: FloatTensor<Self>,
        zero_point: Option<IntTensor<Self>>,
        scheme: QuantScheme,
    ) -> QuantizedTensor<Self> {
        formulas::from_codes::<Self>("q_from_codes", codes, scale, zero_point, scheme)
    }

    /// The codes, one an element, as [`int_dtype`](crate::Backend::int_dtype).
    fn q_codes(q: QuantizedTensor<Self>) -> IntTensor<Self> {
        let dtype = Self::int_dtype(&q.device());
        Self::int_cast(formulas::codes::<Self>(&Self::q_into_parts(q)), dtype)
    }

    /// The scale, as `f64` or `f32`.
    fn q_scale(q: QuantizedTensor<Self>) -> FloatTensor<Self> {
        Self::q_into_parts(q).scale
    }

    /// The zero point of an affine scheme, as [`int_dtype`](crate::Backend::int_dtype).
    fn q_zero_point(q: QuantizedTensor<Self>) -> Option<IntTensor<Self>> {
        let dtype = Self::int_dtype(&q.device());
        Self::q_into_parts(q).zero_point.map(|zero| Self::int_cast(zero, dtype))
    }

    /// The matrix product of the numbers that two tensors stand for, in the type of their scales, shaped as
    /// [`float_matmul`](FloatOps::float_matmul) shapes it.
    ///
    /// Codes, less their zero points, are multiplied and summed as the integers that they are, and the sums are multiplied by the
    /// scales. In `f32` sums below 2<sup>24</sup> are exact: those of 1040 products of symmetric 8-bit codes. Scales that change
    /// along what is summed, which are those of blocks and of channels there, are applied before the sum.
    fn q_matmul(lhs: QuantizedTensor<Self>, rhs: QuantizedTensor<Self>) -> FloatTensor<Self> {
        formulas::q_matmul::<Self>("q_matmul", lhs, rhs)
    }

    // Movement. Scales go where the codes go that they belong to.

    /// The same elements in row-major order under another shape.
    ///
    /// # Panics
    ///
    /// Also if channels would not be the indices of one dimension, or blocks would not lie in the last.
    fn q_reshape(q: QuantizedTensor<Self>, shape: Shape) -> QuantizedTensor<Self> {
        formulas::q_reshape::<Self>("q_reshape", q, shape)
    }

    /// The dimensions in the order of `axes`.
    ///
    /// # Panics
    ///
    /// Also if the last dimension, in which blocks lie, would not stay the last.
    fn q_permute(q: QuantizedTensor<Self>, axes: &[usize]) -> QuantizedTensor<Self> {
        formulas::q_permute::<Self>("q_permute", q, axes)
    }

    /// The dimensions `dim1` and `dim2` exchanged.
    ///
    /// # Panics
    ///
    /// Also if the last dimension, in which blocks lie, would not stay the last.
    fn q_swap_dims(q: QuantizedTensor<Self>, dim1: usize, dim2: usize) -> QuantizedTensor<Self> {
        let shape = q.shape();
        check_dim("q_swap_dims", &shape, dim1).or_raise();
        check_dim("q_swap_dims", &shape, dim2).or_raise();
        let mut axes: Vec<usize> = (0..shape.rank()).collect();
        axes.swap(dim1, dim2);
        formulas::q_permute::<Self>("q_swap_dims", q, &axes)
    }

    /// Extents of 1, and new leading dimensions, repeated to `shape`.
    fn q_expand(q: QuantizedTensor<Self>, shape: Shape) -> QuantizedTensor<Self> {
        formulas::q_expand::<Self>("q_expand", q, shape)
    }

    /// The order of the elements reversed along `dims`.
    fn q_flip(q: QuantizedTensor<Self>, dims: &[usize]) -> QuantizedTensor<Self> {
        formulas::q_flip::<Self>("q_flip", q, dims)
    }

    /// The elements that `slices` take, one slice a dimension; dimensions beyond the last slice are taken whole.
    ///
    /// # Panics
    ///
    /// Also if a block would be cut.
    fn q_slice(q: QuantizedTensor<Self>, slices: &[Slice]) -> QuantizedTensor<Self> {
        formulas::q_slice::<Self>("q_slice", q, slices)
    }

    /// The slices of `q` along `dim` with the indices of the vector `index`.
    ///
    /// # Panics
    ///
    /// Also if a block would be cut.
    fn q_select(q: QuantizedTensor<Self>, dim: usize, index: IntTensor<Self>) -> QuantizedTensor<Self> {
        formulas::q_select::<Self>("q_select", q, dim, index)
    }
}
