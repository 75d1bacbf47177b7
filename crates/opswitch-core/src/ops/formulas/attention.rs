//! Attention.

use super::width::{narrow, wide};
use crate::{
    backend::{BoolTensor, FloatTensor, TensorHandle},
    error::{OrRaise, ShapeError, raise},
    op_error::check_same_type,
    ops::{AttentionMask, FloatOps, NnOps},
    shape::{self, Shape, check_expand},
};

const OP: &str = "scaled_dot_product_attention";

#[track_caller]
pub(in crate::ops) fn attention<B: NnOps>(
    query: FloatTensor<B>,
    key: FloatTensor<B>,
    value: FloatTensor<B>,
    mask: Option<AttentionMask<B>>,
    causal: bool,
    scale: Option<f64>,
) -> FloatTensor<B> {
    check_same_type(OP, &query, &key);
    check_same_type(OP, &query, &value);
    if let Some(AttentionMask::Float(added)) = &mask {
        check_same_type(OP, &query, added);
    }
    let shape = scores_shape(&query.shape(), &key.shape(), &value.shape());
    let width = query.shape()[query.shape().rank() - 1];
    let scale = scale.unwrap_or_else(|| 1.0 / (width as f64).sqrt());
    let dtype = query.dtype();
    let [query, key, value] = [query, key, value].map(wide::<B>);
    let scores = B::float_matmul(B::float_mul_scalar(query, scale), B::float_transpose(key));
    let scores = if causal { hide_later::<B>(scores) } else { scores };
    let last = shape.rank() - 1;
    let weights = match mask {
        None => B::softmax(scores, last),
        Some(mask) => safe_softmax::<B>(masked::<B>(scores, &shape, mask), last),
    };
    narrow::<B>(B::float_matmul(weights, value), dtype)
}

/// The shape of the scores: queries by keys, behind the batch dimensions of both.
#[track_caller]
fn scores_shape(query: &Shape, key: &Shape, value: &Shape) -> Shape {
    for shape in [query, key, value] {
        if shape.rank() < 2 {
            let reason = "a tensor of this op has at least two dimensions, the last of which is the width";
            raise(&ShapeError::single(OP, shape, reason));
        }
    }
    let columns = key.rank() - 1;
    if query[query.rank() - 1] != key[columns] {
        raise(&ShapeError::pair(
            OP,
            query,
            key,
            "queries and keys have the same width, which is the last extent",
        ));
    }
    if key[columns - 1] != value[value.rank() - 2] {
        let reason = "there are as many values as keys, and they are counted by the last extent but one";
        raise(&ShapeError::pair(OP, key, value, reason));
    }
    let transposed = key.clone().with_dim(columns, key[columns - 1]).with_dim(columns - 1, key[columns]);
    let Ok(scores) = shape::matmul(OP, query, &transposed) else {
        raise(&ShapeError::pair(OP, query, key, "the dimensions before the last two do not broadcast"));
    };
    shape::matmul(OP, &scores, value).or_raise();
    scores
}

/// -∞ for the keys behind the query's own place.
fn hide_later<B: NnOps>(scores: FloatTensor<B>) -> FloatTensor<B> {
    let (shape, device) = (scores.shape(), scores.device());
    let (queries, keys) = (shape[shape.rank() - 2], shape[shape.rank() - 1]);
    let places = |count: usize| B::int_arange(0, count as i64, 1, B::int_dtype(&device), &device);
    let rows = B::int_reshape(places(queries), [queries, 1].into());
    B::float_mask_fill(scores, B::int_lt(rows, places(keys)), f64::NEG_INFINITY)
}

#[track_caller]
fn masked<B: FloatOps>(scores: FloatTensor<B>, shape: &Shape, mask: AttentionMask<B>) -> FloatTensor<B> {
    match mask {
        AttentionMask::Bool(seen) => {
            check_expand(OP, &seen.shape(), shape).or_raise();
            B::float_mask_fill(scores, B::bool_not(seen), f64::NEG_INFINITY)
        }
        AttentionMask::Float(added) => {
            check_expand(OP, &added.shape(), shape).or_raise();
            B::float_add(scores, wide::<B>(added))
        }
    }
}

/// The softmax along the last dimension, and zeros for rows of -∞, whose queries see no key.
fn safe_softmax<B: NnOps>(scores: FloatTensor<B>, last: usize) -> FloatTensor<B> {
    if scores.shape()[last] == 0 {
        return B::softmax(scores, last);
    }
    let blind = blind_rows::<B>(scores.clone(), last);
    let weights = B::softmax(B::float_mask_fill(scores, blind.clone(), 0.0), last);
    B::float_mask_fill(weights, blind, 0.0)
}

fn blind_rows<B: NnOps>(scores: FloatTensor<B>, last: usize) -> BoolTensor<B> {
    let greatest = B::float_max(B::detach(scores), &[last], true);
    B::bool_and(B::float_is_inf(greatest.clone()), B::float_lt_scalar(greatest, 0.0))
}
