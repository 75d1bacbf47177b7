//! Where the extremes are.

use opswitch_core::{
    OrRaise,
    layout::{Blocks, movement},
    shape::{check_dim, check_some},
};

use super::blocks::reduce;
use crate::{
    element::{Float, Real},
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
    check_dim(op, x.layout().shape(), dim).or_raise();
    check_some(op, x.layout().shape(), &[dim]).or_raise();
    reduce(op, x, &[dim], keep_dims, |values: &[E], blocks| match extreme {
        Extreme::Greatest => first_best(values, blocks, |x, best| x > best),
        Extreme::Least => first_best(values, blocks, |x, best| x < best),
    })
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

fn first_best<E: Float>(
    values: &[E],
    blocks: Blocks,
    better: impl Fn(E::Wide, E::Wide) -> bool + Sync,
) -> Vec<i64> {
    let Blocks { reduced, inner, .. } = blocks;
    let replaces = |x: E::Wide, best: E::Wide| better(x, best) || (x.is_nan() && !best.is_nan());
    parallel::collect(blocks.num_results(), inner.max(1), reduced, |range, sink| {
        // Pieces are multiples of `inner`, so that each holds whole blocks of columns.
        for outer in range.start / inner..range.end / inner {
            let block = &values[outer * reduced * inner..][..reduced * inner];
            if inner == 1 {
                sink.push(first_best_of_row(block, replaces));
            } else {
                sink.extend(first_best_of_columns(block, inner, replaces).into_iter());
            }
        }
    })
}

fn first_best_of_row<E: Float>(row: &[E], replaces: impl Fn(E::Wide, E::Wide) -> bool) -> i64 {
    let (mut best, mut at) = (row[0].widen(), 0);
    for (position, x) in row.iter().enumerate().skip(1) {
        let x = x.widen();
        if replaces(x, best) {
            (best, at) = (x, position as i64);
        }
    }
    at
}

fn first_best_of_columns<E: Float>(
    block: &[E],
    inner: usize,
    replaces: impl Fn(E::Wide, E::Wide) -> bool,
) -> Vec<i64> {
    let mut best: Vec<E::Wide> = block[..inner].iter().map(|x| x.widen()).collect();
    let mut at = vec![0; inner];
    for (position, row) in block.chunks_exact(inner).enumerate().skip(1) {
        for ((best, at), x) in best.iter_mut().zip(&mut at).zip(row) {
            let x = x.widen();
            if replaces(x, *best) {
                (*best, *at) = (x, position as i64);
            }
        }
    }
    at
}
