//! Movement.

use super::indices;
use crate::{
    backend::{FloatTensor, TensorHandle},
    error::OrRaise,
    ops::FloatOps,
    shape::{Shape, check_expand},
    slice::Slice,
};

/// `x` summed over the dimensions in which `shape` was expanded.
#[track_caller]
pub(in crate::ops) fn sum_to<B: FloatOps>(x: FloatTensor<B>, shape: Shape) -> FloatTensor<B> {
    let from = x.shape();
    if from == shape {
        return x;
    }
    check_expand("float_sum_to", &shape, &from).or_raise();
    let new_dims = from.rank().saturating_sub(shape.rank());
    let expanded = |dim: usize| dim < new_dims || (shape[dim - new_dims] == 1 && from[dim] != 1);
    let dims: Vec<usize> = (0..from.rank()).filter(|&dim| expanded(dim)).collect();
    B::float_reshape(B::float_sum(x, &dims, true), shape)
}

/// A reduced gradient repeated over `dims` to the `shape` before the reduction.
pub(in crate::ops) fn spread<B: FloatOps>(
    grad: FloatTensor<B>,
    shape: &Shape,
    dims: &[usize],
) -> FloatTensor<B> {
    B::float_expand(B::float_reshape(grad, shape.reduced(dims, true)), shape.clone())
}

/// `grad` cut along `dim` into pieces of these shapes.
pub(in crate::ops) fn split<B: FloatOps>(
    grad: FloatTensor<B>,
    shapes: &[Shape],
    dim: usize,
) -> Vec<FloatTensor<B>> {
    let mut start = 0;
    let mut piece = |shape: &Shape| {
        let mut slices = vec![Slice::FULL; shape.rank()];
        slices[dim] = Slice::from(start..start + shape[dim] as isize);
        start += shape[dim] as isize;
        B::float_slice(grad.clone(), &slices)
    };
    shapes.iter().map(&mut piece).collect()
}

/// The gradient of windows along `dim`: each element gets that of every window that it lies in.
pub(in crate::ops) fn fold_windows<B: FloatOps>(
    grad: FloatTensor<B>,
    shape: Shape,
    dim: usize,
    step: usize,
) -> FloatTensor<B> {
    let (dtype, device) = (grad.dtype(), grad.device());
    let windows = grad.shape();
    let (count, size) = (windows[dim], windows[windows.rank() - 1]);
    let index = (0..count).flat_map(|window| (0..size).map(move |at| (window * step + at) as i64));
    let index = indices::<B>(index.collect(), &device);
    let mut axes: Vec<usize> = (0..windows.rank() - 1).collect();
    axes.insert(dim + 1, windows.rank() - 1);
    let flat = shape.clone().with_dim(dim, count * size);
    let grad = B::float_reshape(B::float_permute(grad, &axes), flat);
    B::float_select_add(B::float_zeros(shape, dtype, &device), dim, index, grad)
}
