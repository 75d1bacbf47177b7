//! Products of all elements but one, and scans.

use super::width::{narrow, wide};
use crate::{
    backend::{FloatTensor, TensorHandle},
    layout::inverse,
    ops::FloatOps,
    slice::Slice,
};

/// The gradient of a product is the product of everything else: of what comes before an element and of what comes after it,
/// so that zeros are divided by nowhere.
pub(in crate::ops) fn prod_backward<B: FloatOps>(
    x: FloatTensor<B>,
    grad: FloatTensor<B>,
    dims: &[usize],
) -> FloatTensor<B> {
    let shape = x.shape();
    if shape.num_elements() == 0 {
        return B::float_zeros(shape, x.dtype(), &x.device());
    }
    let kept = (0..shape.rank()).filter(|dim| !dims.contains(dim));
    let axes: Vec<usize> = kept.chain(dims.iter().copied()).collect();
    let (moved, rows) = (shape.permuted(&axes), shape.reduced(dims, false).num_elements());
    let x = B::float_reshape(B::float_permute(x, &axes), [rows, shape.num_elements() / rows].into());
    let before = B::float_cumprod(shifted::<B>(x.clone(), 1), 1);
    let after = B::float_flip(B::float_cumprod(shifted::<B>(B::float_flip(x, &[1]), 1), 1), &[1]);
    let grad = B::float_mul(B::float_mul(before, after), B::float_reshape(grad, [rows, 1].into()));
    B::float_permute(B::float_reshape(grad, moved), &inverse(&axes))
}

/// Σ<sub>k ≥ i</sub> grad<sub>k</sub>
pub(in crate::ops) fn cumsum_backward<B: FloatOps>(grad: FloatTensor<B>, dim: usize) -> FloatTensor<B> {
    B::float_flip(B::float_cumsum(B::float_flip(grad, &[dim]), dim), &[dim])
}

/// The product of the elements before i, times s<sub>i</sub> = grad<sub>i</sub> + x<sub>i + 1</sub> s<sub>i + 1</sub>.
pub(in crate::ops) fn cumprod_backward<B: FloatOps>(
    x: FloatTensor<B>,
    output: FloatTensor<B>,
    grad: FloatTensor<B>,
    dim: usize,
) -> FloatTensor<B> {
    if x.shape().num_elements() == 0 {
        return grad;
    }
    let dtype = x.dtype();
    let [x, output, grad] = [x, output, grad].map(wide::<B>);
    let decay = shifted::<B>(B::float_flip(x, &[dim]), dim);
    let after = linear_scan::<B>(decay, B::float_flip(grad, &[dim]), dim);
    narrow::<B>(B::float_mul(shifted::<B>(output, dim), B::float_flip(after, &[dim])), dtype)
}

/// h<sub>i</sub> = decay<sub>i</sub> h<sub>i - 1</sub> + x<sub>i</sub> along `dim`, of ranges of 2, 4, 8, .. elements (Hillis
/// and Steele 1986).
fn linear_scan<B: FloatOps>(mut decay: FloatTensor<B>, mut x: FloatTensor<B>, dim: usize) -> FloatTensor<B> {
    let len = x.shape()[dim];
    let mut step = 1;
    while step < len {
        let (late, early) = (part::<B>(&decay, dim, step, len), part::<B>(&decay, dim, 0, len - step));
        let sums = B::float_add(
            part::<B>(&x, dim, step, len),
            B::float_mul(late.clone(), part::<B>(&x, dim, 0, len - step)),
        );
        x = B::float_cat(vec![part::<B>(&x, dim, 0, step), sums], dim);
        decay = B::float_cat(vec![part::<B>(&decay, dim, 0, step), B::float_mul(late, early)], dim);
        step *= 2;
    }
    x
}

/// One, and the elements of `x` along `dim` but the last.
fn shifted<B: FloatOps>(x: FloatTensor<B>, dim: usize) -> FloatTensor<B> {
    let shape = x.shape();
    let one = B::float_ones(shape.clone().with_dim(dim, 1), x.dtype(), &x.device());
    B::float_cat(vec![one, part::<B>(&x, dim, 0, shape[dim] - 1)], dim)
}

fn part<B: FloatOps>(x: &FloatTensor<B>, dim: usize, start: usize, end: usize) -> FloatTensor<B> {
    let mut slices = vec![Slice::FULL; dim];
    slices.push(Slice::from(start as isize..end as isize));
    B::float_slice(x.clone(), &slices)
}
