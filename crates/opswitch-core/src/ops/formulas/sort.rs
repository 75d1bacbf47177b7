//! Sorted elements.

use crate::{
    backend::{FloatTensor, IntTensor, TensorHandle},
    error::{OrRaise, ShapeError, raise},
    ops::FloatOps,
    shape::check_dim,
    slice::Slice,
};

#[track_caller]
pub(in crate::ops) fn sort<B: FloatOps>(
    x: FloatTensor<B>,
    dim: usize,
    descending: bool,
) -> (FloatTensor<B>, IntTensor<B>) {
    check_dim("float_sort", &x.shape(), dim).or_raise();
    let index = B::float_argsort(x.clone(), dim, descending);
    (B::float_gather(x, dim, index.clone()), index)
}

#[track_caller]
pub(in crate::ops) fn topk<B: FloatOps>(
    x: FloatTensor<B>,
    k: usize,
    dim: usize,
    largest: bool,
) -> (FloatTensor<B>, IntTensor<B>) {
    let shape = x.shape();
    check_dim("float_topk", &shape, dim).or_raise();
    if k > shape[dim] {
        let reason = format!("{k} elements are asked for along dimension {dim}, which has {}", shape[dim]);
        raise(&ShapeError::single("float_topk", &shape, reason));
    }
    let mut slices = vec![Slice::FULL; dim];
    slices.push(Slice::from(0..k as isize));
    let index = B::int_slice(B::float_argsort(x.clone(), dim, largest), &slices);
    (B::float_gather(x, dim, index.clone()), index)
}
