//! Linear algebra.

use super::sum_to;
use crate::{
    backend::{FloatTensor, TensorHandle},
    error::{ShapeError, raise},
    ops::FloatOps,
    shape::Shape,
};

/// A shape as a stack of matrices: a vector becomes a row on the left side of a product.
fn as_rows(shape: &Shape) -> Shape {
    if shape.rank() == 1 { [1, shape[0]].into() } else { shape.clone() }
}

/// A shape as a stack of matrices: a vector becomes a column on the right side of a product.
fn as_columns(shape: &Shape) -> Shape {
    if shape.rank() == 1 { [shape[0], 1].into() } else { shape.clone() }
}

/// The products of each element of one vector with each of the other.
#[track_caller]
pub(in crate::ops) fn outer<B: FloatOps>(lhs: FloatTensor<B>, rhs: FloatTensor<B>) -> FloatTensor<B> {
    let (rows, columns) = vectors("float_outer", &lhs.shape(), &rhs.shape());
    B::float_mul(B::float_reshape(lhs, [rows, 1].into()), B::float_reshape(rhs, [1, columns].into()))
}

/// The sum of the products of the elements of two vectors.
#[track_caller]
pub(in crate::ops) fn dot<B: FloatOps>(lhs: FloatTensor<B>, rhs: FloatTensor<B>) -> FloatTensor<B> {
    let (left, right) = vectors("float_dot", &lhs.shape(), &rhs.shape());
    if left != right {
        let reason = "the vectors must have the same length";
        raise(&ShapeError::pair("float_dot", &lhs.shape(), &rhs.shape(), reason));
    }
    B::float_matmul(lhs, rhs)
}

/// The lengths of two vectors.
#[track_caller]
fn vectors(op: &'static str, lhs: &Shape, rhs: &Shape) -> (usize, usize) {
    match (&**lhs, &**rhs) {
        (&[left], &[right]) => (left, right),
        _ => raise(&ShapeError::pair(op, lhs, rhs, "both must be vectors")),
    }
}

/// The gradient of a matrix product as a stack of matrices, with the dimensions back that vectors lost.
fn product_grad<B: FloatOps>(grad: FloatTensor<B>, lhs: &Shape, rhs: &Shape) -> FloatTensor<B> {
    if lhs.rank() > 1 && rhs.rank() > 1 {
        return grad;
    }
    let mut shape = grad.shape().to_vec();
    if rhs.rank() == 1 {
        shape.push(1);
    }
    if lhs.rank() == 1 {
        shape.insert(shape.len() - 1, 1);
    }
    B::float_reshape(grad, shape.into())
}

/// d(lhs rhs)/d lhs: grad rhsᵀ, summed over the batch dimensions in which the left side was broadcast.
pub(in crate::ops) fn matmul_lhs<B: FloatOps>(
    grad: FloatTensor<B>,
    rhs: FloatTensor<B>,
    lhs: &Shape,
) -> FloatTensor<B> {
    let grad = product_grad::<B>(grad, lhs, &rhs.shape());
    let columns = as_columns(&rhs.shape());
    let rhs = B::float_transpose(B::float_reshape(rhs, columns));
    B::float_reshape(sum_to::<B>(B::float_matmul(grad, rhs), as_rows(lhs)), lhs.clone())
}

/// d(lhs rhs)/d rhs: lhsᵀ grad, summed over the batch dimensions in which the right side was broadcast.
pub(in crate::ops) fn matmul_rhs<B: FloatOps>(
    grad: FloatTensor<B>,
    lhs: FloatTensor<B>,
    rhs: &Shape,
) -> FloatTensor<B> {
    let grad = product_grad::<B>(grad, &lhs.shape(), rhs);
    let rows = as_rows(&lhs.shape());
    let lhs = B::float_transpose(B::float_reshape(lhs, rows));
    B::float_reshape(sum_to::<B>(B::float_matmul(lhs, grad), as_columns(rhs)), rhs.clone())
}
