//! Products and running sums of integers, for backends without kernels for them.

use crate::{
    backend::{IntTensor, TensorHandle},
    error::OrRaise,
    ops::IntOps,
    shape::{check_dim, check_dims},
    slice::Slice,
};

/// The product over `dims`, of the halves of what is left until that is one element.
#[track_caller]
pub(in crate::ops) fn product<B: IntOps>(
    op: &'static str,
    x: IntTensor<B>,
    dims: &[usize],
    keep_dims: bool,
) -> IntTensor<B> {
    let shape = x.shape();
    check_dims(op, &shape, dims).or_raise();
    let kept = (0..shape.rank()).filter(|dim| !dims.contains(dim));
    let axes: Vec<usize> = kept.chain(dims.iter().copied()).collect();
    let (results, mut len) = (shape.reduced(dims, keep_dims), dims.iter().map(|&dim| shape[dim]).product());
    if len == 0 {
        return B::int_ones(results, x.dtype(), &x.device());
    }
    let mut x = B::int_reshape(B::int_permute(x, &axes), [results.num_elements(), len].into());
    while len > 1 {
        let half = len / 2;
        let product = B::int_mul(part::<B>(&x, 1, 0..half), part::<B>(&x, 1, half..2 * half));
        x = match len % 2 {
            0 => product,
            _ => B::int_cat(vec![product, part::<B>(&x, 1, 2 * half..len)], 1),
        };
        len = x.shape()[1];
    }
    B::int_reshape(x, results)
}

/// The sums of the elements up to each, along `dim`: those of 2, 4, 8, .. elements (Hillis and Steele 1986).
#[track_caller]
pub(in crate::ops) fn running_sum<B: IntOps>(op: &'static str, x: IntTensor<B>, dim: usize) -> IntTensor<B> {
    check_dim(op, &x.shape(), dim).or_raise();
    let extent = x.shape()[dim];
    let steps = std::iter::successors(Some(1), |step| Some(2 * step)).take_while(|&step| step < extent);
    steps.fold(x, |x, step| {
        let sums = B::int_add(part::<B>(&x, dim, step..extent), part::<B>(&x, dim, 0..extent - step));
        B::int_slice_assign(x, &range(dim, step..extent), sums)
    })
}

fn part<B: IntOps>(x: &IntTensor<B>, dim: usize, indices: std::ops::Range<usize>) -> IntTensor<B> {
    B::int_slice(x.clone(), &range(dim, indices))
}

fn range(dim: usize, indices: std::ops::Range<usize>) -> Vec<Slice> {
    let mut slices = vec![Slice::FULL; dim];
    slices.push(Slice::from(indices.start as isize..indices.end as isize));
    slices
}
