//! Where the extremes are.

use opswitch_core::{
    Element, OrRaise,
    layout::{Blocks, movement},
    shape::{check_dim, check_some},
};

use super::blocks::reduce;
use crate::{
    element::{Float, Integer, Real},
    index, parallel,
    tensor::CpuTensor,
};

/// Which extreme is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Greatest,
    Least,
}

/// The index of the first extreme along `dim`, or of the first NaN if there is one.
#[track_caller]
pub(crate) fn arg_reduce<E: Float>(
    op: &'static str,
    extreme: Extreme,
    x: CpuTensor,
    dim: usize,
    keep_dims: bool,
) -> CpuTensor {
    let is_first_nan = |x: E::Wide, best: E::Wide| x.is_nan() && !best.is_nan();
    match extreme {
        Extreme::Greatest => {
            first_along(op, x, dim, keep_dims, E::widen, |x, best| x > best || is_first_nan(x, best))
        }
        Extreme::Least => {
            first_along(op, x, dim, keep_dims, E::widen, |x, best| x < best || is_first_nan(x, best))
        }
    }
}

/// The index of the first extreme of integers along `dim`.
#[track_caller]
pub(crate) fn int_arg_reduce<E: Integer>(
    op: &'static str,
    extreme: Extreme,
    x: CpuTensor,
    dim: usize,
    keep_dims: bool,
) -> CpuTensor {
    let same = |x: E| x;
    match extreme {
        Extreme::Greatest => first_along(op, x, dim, keep_dims, same, |x, best| x > best),
        Extreme::Least => first_along(op, x, dim, keep_dims, same, |x, best| x < best),
    }
}

/// The extremes along `dim`, and their indices.
#[track_caller]
pub(crate) fn reduce_with_index<E: Float>(
    op: &'static str,
    extreme: Extreme,
    x: CpuTensor,
    dim: usize,
    keep_dims: bool,
) -> (CpuTensor, CpuTensor) {
    let chosen = arg_reduce::<E>(op, extreme, x.clone(), dim, true);
    let shape = x.layout().shape().reduced(&[dim], keep_dims);
    let values = index::gather::<E>(op, &x, dim, &chosen);
    (movement::reshape(op, values, shape.clone()), movement::reshape(op, chosen, shape))
}

/// Along `dim`, the index of the element that replaces those before it and that none after it replaces. Elements are
/// compared as `load` makes them.
#[track_caller]
fn first_along<E: Element, W: Copy>(
    op: &'static str,
    x: CpuTensor,
    dim: usize,
    keep_dims: bool,
    load: impl Fn(E) -> W + Copy + Sync,
    replaces: impl Fn(W, W) -> bool + Copy + Sync,
) -> CpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    check_some(op, x.layout().shape(), &[dim]).or_raise();
    reduce(op, x, &[dim], keep_dims, |values: &[E], blocks| first_best(values, blocks, load, replaces))
}

fn first_best<E: Element, W: Copy>(
    values: &[E],
    blocks: Blocks,
    load: impl Fn(E) -> W + Copy + Sync,
    replaces: impl Fn(W, W) -> bool + Copy + Sync,
) -> Vec<i64> {
    let Blocks { reduced, inner, .. } = blocks;
    parallel::collect(blocks.num_results(), inner.max(1), reduced, |range, sink| {
        // Pieces are multiples of `inner`, so that each holds whole blocks of columns.
        for outer in range.start / inner..range.end / inner {
            let block = &values[outer * reduced * inner..][..reduced * inner];
            if inner == 1 {
                sink.push(first_best_of_row(block, load, replaces));
            } else {
                sink.extend(first_best_of_columns(block, inner, load, replaces).into_iter());
            }
        }
    })
}

fn first_best_of_row<E: Copy, W: Copy>(
    row: &[E],
    load: impl Fn(E) -> W,
    replaces: impl Fn(W, W) -> bool,
) -> i64 {
    let (mut best, mut at) = (load(row[0]), 0);
    for (position, &x) in row.iter().enumerate().skip(1) {
        let x = load(x);
        if replaces(x, best) {
            (best, at) = (x, position as i64);
        }
    }
    at
}

fn first_best_of_columns<E: Copy, W: Copy>(
    block: &[E],
    inner: usize,
    load: impl Fn(E) -> W,
    replaces: impl Fn(W, W) -> bool,
) -> Vec<i64> {
    let mut best: Vec<W> = block[..inner].iter().map(|&x| load(x)).collect();
    let mut at = vec![0; inner];
    for (position, row) in block.chunks_exact(inner).enumerate().skip(1) {
        for ((best, at), &x) in best.iter_mut().zip(&mut at).zip(row) {
            let x = load(x);
            if replaces(x, *best) {
                (*best, *at) = (x, position as i64);
            }
        }
    }
    at
}
