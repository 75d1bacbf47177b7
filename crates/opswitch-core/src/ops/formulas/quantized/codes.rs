//! Codes in words, and by themselves.

use crate::{
    backend::{FloatTensor, IntTensor, QuantizedTensor, TensorHandle},
    dtype::DType,
    error::OrRaise,
    op_error::check_type,
    ops::{IntOps, QuantizedOps},
    quantized::{QuantBits, QuantParts, QuantScheme},
    shape::Shape,
    slice::Slice,
};

/// The type of scales, and of what is computed with them: halves are too coarse for either.
pub(super) fn wide_type(dtype: DType) -> DType {
    if dtype == DType::F64 { dtype } else { DType::F32 }
}

/// A quantized tensor of these codes.
#[track_caller]
pub(in crate::ops) fn from_codes<B: QuantizedOps>(
    op: &'static str,
    codes: IntTensor<B>,
    scale: FloatTensor<B>,
    zero_point: Option<IntTensor<B>>,
    scheme: QuantScheme,
) -> QuantizedTensor<B> {
    check_type(op, "an integer type for the codes", codes.dtype(), DType::is_int);
    check_type(op, "a float type for the scale", scale.dtype(), DType::is_float);
    let (shape, zero_shape) = (codes.shape(), zero_point.as_ref().map(TensorHandle::shape));
    scheme.check(op, &shape, &scale.shape(), zero_shape.as_ref()).or_raise();
    let dtype = wide_type(scale.dtype());
    B::q_from_parts(QuantParts {
        words: pack::<B>(codes, scheme.bits),
        scale: B::float_cast(scale, dtype),
        zero_point: zero_point.map(|zero| B::int_cast(zero, DType::I32)),
        scheme,
        shape,
    })
}

/// The codes, as i32.
pub(in crate::ops) fn codes<B: IntOps>(parts: &QuantParts<B>) -> IntTensor<B> {
    let (words, bits) = (parts.words.clone(), parts.scheme.bits);
    let (width, device) = (bits.width() as i64, words.device());
    let (rows, last) = rows_and_last(&parts.shape);
    let split: Shape = words.shape().iter().copied().chain([1]).collect();
    // The bits above a code are moved out, and those below it after that.
    let up = B::int_arange(32 - width, -1, -width, DType::I32, &device);
    let codes = B::int_shift_left(B::int_reshape(words, split), up);
    let codes = B::int_shift_right_scalar(codes, 32 - width);
    let padded = last.div_ceil(bits.per_word()) * bits.per_word();
    let codes = B::int_reshape(codes, rows.iter().copied().chain([padded]).collect());
    let codes = if padded == last { codes } else { B::int_slice(codes, &first(rows.len(), last)) };
    B::int_reshape(codes, parts.shape.clone())
}

/// The words that hold the codes, of which the low bits count.
fn pack<B: IntOps>(codes: IntTensor<B>, bits: QuantBits) -> IntTensor<B> {
    let (shape, device, width) = (codes.shape(), codes.device(), bits.width() as i64);
    let (rows, last) = rows_and_last(&shape);
    let words = last.div_ceil(bits.per_word());
    let row = |extents: &[usize]| rows.iter().chain(extents).copied().collect::<Shape>();
    let mut codes = B::int_reshape(B::int_cast(codes, DType::I32), row(&[last]));
    if last != words * bits.per_word() {
        let padded = B::int_zeros(row(&[words * bits.per_word()]), DType::I32, &device);
        codes = B::int_slice_assign(padded, &first(rows.len(), last), codes);
    }
    let codes = B::int_reshape(codes, row(&[words, bits.per_word()]));
    let low = B::int_bitwise_and_scalar(codes, (1 << width) - 1);
    let placed = B::int_shift_left(low, B::int_arange(0, 32, width, DType::I32, &device));
    // No two codes share a bit, so that their sum is all of them beside each other.
    B::int_sum(placed, &[rows.len() + 1], false)
}

/// The extents before the last, and the last; a tensor without dimensions is one row of one element.
fn rows_and_last(shape: &Shape) -> (&[usize], usize) {
    shape.split_last().map_or((&[], 1), |(&last, rows)| (rows, last))
}

/// The first `len` elements along dimension `dim`.
fn first(dim: usize, len: usize) -> Vec<Slice> {
    let mut slices = vec![Slice::FULL; dim];
    slices.push(Slice::from(0..len as isize));
    slices
}
