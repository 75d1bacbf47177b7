//! Numbers to codes, and back.

use super::codes::{codes, from_codes, wide_type};
use crate::{
    backend::{FloatTensor, IntTensor, QuantizedTensor, TensorHandle},
    dtype::DType,
    error::OrRaise,
    op_error::check_type,
    ops::QuantizedOps,
    quantized::{QuantLevel, QuantMode, QuantParts, QuantScheme},
};

/// Numbers quantized with this scale.
#[track_caller]
pub(in crate::ops) fn quantize<B: QuantizedOps>(
    op: &'static str,
    x: FloatTensor<B>,
    scale: FloatTensor<B>,
    zero_point: Option<IntTensor<B>>,
    scheme: QuantScheme,
) -> QuantizedTensor<B> {
    check_type(op, "a float type", x.dtype(), DType::is_float);
    check_type(op, "a float type for the scale", scale.dtype(), DType::is_float);
    let (shape, zero_shape) = (x.shape(), zero_point.as_ref().map(TensorHandle::shape));
    scheme.check(op, &shape, &scale.shape(), zero_shape.as_ref()).or_raise();
    let (grouped, shared) = scheme.grouped(&shape);
    let dtype = wide_type(x.dtype());
    let divisor = B::float_reshape(B::float_cast(scale.clone(), dtype), shared.clone());
    let steps = B::float_div(B::float_reshape(B::float_cast(x, dtype), grouped), divisor);
    let mut numbers = B::float_round(steps);
    if let Some(zero) = zero_point.clone() {
        let zero = B::int_into_float(B::int_reshape(zero, shared), dtype);
        numbers = B::float_add(numbers, zero);
    }
    let range = scheme.codes();
    let limited = B::float_clamp(numbers, *range.start() as f64, *range.end() as f64);
    let codes = B::int_reshape(B::float_into_int(limited, DType::I32), shape);
    from_codes::<B>(op, codes, scale, zero_point, scheme)
}

/// Numbers quantized with the scale that reaches the farthest of them.
#[track_caller]
pub(in crate::ops) fn quantize_dynamic<B: QuantizedOps>(
    op: &'static str,
    x: FloatTensor<B>,
    scheme: QuantScheme,
) -> QuantizedTensor<B> {
    check_type(op, "a float type", x.dtype(), DType::is_float);
    let shape = x.shape();
    let scale_shape = scheme.scale_shape(op, &shape).or_raise();
    let (grouped, _) = scheme.grouped(&shape);
    let dims: Vec<usize> = match scheme.level {
        QuantLevel::Tensor => (0..grouped.rank()).collect(),
        QuantLevel::Channel { axis } => (0..grouped.rank()).filter(|&dim| dim != axis).collect(),
        QuantLevel::Block { .. } => vec![grouped.rank() - 1],
    };
    let (dtype, device) = (wide_type(x.dtype()), x.device());
    let wide = B::float_cast(x, dtype);
    let (low, high) = (*scheme.codes().start() as f64, *scheme.codes().end() as f64);
    let is_empty = shape.num_elements() == 0;
    let numbers = B::float_reshape(wide.clone(), grouped);
    let (scale, least) = if is_empty {
        let zeros = B::float_zeros(scale_shape.clone(), dtype, &device);
        (zeros.clone(), zeros)
    } else if scheme.mode == QuantMode::Symmetric {
        let greatest = B::float_max(B::float_abs(numbers), &dims, false);
        (B::float_div_scalar(greatest.clone(), high), greatest)
    } else {
        let least = B::float_clamp_max(B::float_min(numbers.clone(), &dims, false), 0.0);
        let greatest = B::float_clamp_min(B::float_max(numbers, &dims, false), 0.0);
        (B::float_div_scalar(B::float_sub(greatest, least.clone()), high - low), least)
    };
    // Where all numbers are 0, any scale will do.
    let is_zero = B::float_eq_scalar(scale.clone(), 0.0);
    let scale = B::float_reshape(B::float_mask_fill(scale, is_zero, 1.0), scale_shape.clone());
    let zero_point = (scheme.mode == QuantMode::Affine).then(|| {
        let steps = B::float_round(B::float_div(B::float_reshape(least, scale_shape), scale.clone()));
        let zero = B::float_add_scalar(B::float_neg(steps), low);
        B::float_into_int(B::float_clamp(zero, low, high), DType::I32)
    });
    quantize::<B>(op, wide, scale, zero_point, scheme)
}

/// The numbers that codes stand for, as this float type.
#[track_caller]
pub(in crate::ops) fn dequantize<B: QuantizedOps>(
    op: &'static str,
    q: QuantizedTensor<B>,
    dtype: DType,
) -> FloatTensor<B> {
    check_type(op, "a float type", dtype, DType::is_float);
    let parts = B::q_into_parts(q);
    let (_, shared) = parts.scheme.grouped(&parts.shape);
    let numbers = B::float_mul(centred::<B>(&parts), B::float_reshape(parts.scale.clone(), shared));
    B::float_cast(B::float_reshape(numbers, parts.shape), dtype)
}

/// The codes less their zero point, in the type of the scale, under the shape that broadcasts with it.
pub(super) fn centred<B: QuantizedOps>(parts: &QuantParts<B>) -> FloatTensor<B> {
    let (grouped, shared) = parts.scheme.grouped(&parts.shape);
    let codes = B::int_reshape(codes::<B>(parts), grouped);
    let codes = match parts.zero_point.clone() {
        Some(zero) => B::int_sub(codes, B::int_reshape(zero, shared)),
        None => codes,
    };
    B::int_into_float(codes, parts.scale.dtype())
}
