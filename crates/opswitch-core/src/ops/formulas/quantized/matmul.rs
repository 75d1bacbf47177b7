//! The matrix product of codes.

use super::numbers::centred;
use crate::{
    backend::{FloatTensor, QuantizedTensor, TensorHandle},
    error::OrRaise,
    op_error::check_same_type,
    ops::QuantizedOps,
    quantized::{QuantLevel, QuantParts},
    shape::matmul as product_shape,
};

/// The product of the codes, less their zero points, times the scales.
#[track_caller]
pub(in crate::ops) fn q_matmul<B: QuantizedOps>(
    op: &'static str,
    lhs: QuantizedTensor<B>,
    rhs: QuantizedTensor<B>,
) -> FloatTensor<B> {
    product_shape(op, &lhs.shape(), &rhs.shape()).or_raise();
    let (lhs, rhs) = (B::q_into_parts(lhs), B::q_into_parts(rhs));
    check_same_type(op, &lhs.scale, &rhs.scale);
    let (rows, columns) = (lhs.shape.rank(), rhs.shape.rank());
    let [lhs, rhs] = [
        Side::new::<B>(lhs, rows - 1, columns == 1),
        Side::new::<B>(rhs, columns.saturating_sub(2), rows == 1),
    ];
    let product = B::float_matmul(lhs.numbers, rhs.numbers);
    [lhs.factor, rhs.factor].into_iter().flatten().fold(product, B::float_mul)
}

/// One side of a product: what is multiplied and summed, and by what the sums are multiplied.
struct Side<T> {
    numbers: T,
    factor: Option<T>,
}

impl<T> Side<T> {
    /// The sums are over dimension `summed`; beside a vector there is no dimension for it in the result.
    fn new<B: QuantizedOps<FloatTensor = T>>(
        parts: QuantParts<B>,
        summed: usize,
        beside_vector: bool,
    ) -> Self {
        let codes = centred::<B>(&parts);
        let (_, shared) = parts.scheme.grouped(&parts.shape);
        // A scale that changes along what is summed cannot wait until after the sum.
        let factor = match parts.scheme.level {
            QuantLevel::Tensor => [].into(),
            QuantLevel::Channel { axis } if axis != summed && beside_vector => shared.without_dim(summed),
            QuantLevel::Channel { axis } if axis != summed => shared,
            QuantLevel::Channel { .. } | QuantLevel::Block { .. } => {
                let numbers = B::float_mul(codes, B::float_reshape(parts.scale, shared));
                return Self { numbers: B::float_reshape(numbers, parts.shape), factor: None };
            }
        };
        Self { numbers: codes, factor: Some(B::float_reshape(parts.scale, factor)) }
    }
}
