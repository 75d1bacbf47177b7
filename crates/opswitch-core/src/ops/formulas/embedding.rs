//! Embeddings.

use crate::{
    backend::{FloatTensor, IntTensor, TensorHandle},
    error::OrRaise,
    ops::FloatOps,
    shape::{Shape, check_embedding},
};

#[track_caller]
pub(in crate::ops) fn embedding<B: FloatOps>(
    weight: FloatTensor<B>,
    indices: IntTensor<B>,
) -> FloatTensor<B> {
    let shape = check_embedding("embedding", &weight.shape(), &indices.shape()).or_raise();
    B::float_reshape(B::float_select(weight, 0, flat::<B>(indices)), shape)
}

/// The gradient of each row of the weight: the sum of those of the places at which it stands.
pub(in crate::ops) fn embedding_backward<B: FloatOps>(
    weight: Shape,
    indices: IntTensor<B>,
    grad: FloatTensor<B>,
) -> FloatTensor<B> {
    let rows = [indices.shape().num_elements(), weight[1]].into();
    let zeros = B::float_zeros(weight, grad.dtype(), &grad.device());
    B::float_select_add(zeros, 0, flat::<B>(indices), B::float_reshape(grad, rows))
}

fn flat<B: FloatOps>(indices: IntTensor<B>) -> IntTensor<B> {
    let count = indices.shape().num_elements();
    B::int_reshape(indices, [count].into())
}
