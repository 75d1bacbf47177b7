//! The exponential family: `log_sum_exp`, `softmax` and `log_softmax`, fused over rows that stay in the cache.

use opswitch_core::{OrRaise, layout::movement, shape::check_dim};

use super::{
    blocks::reduce,
    fold::{Max, Sum, fold_row},
};
use crate::{
    element::{Float, Real},
    parallel,
    tensor::CpuTensor,
};

/// ln Σ e<sup>x</sup> over `dims`.
#[track_caller]
pub(crate) fn log_sum_exp<E: Float>(
    op: &'static str,
    x: CpuTensor,
    dims: &[usize],
    keep_dims: bool,
) -> CpuTensor {
    reduce(op, x, dims, keep_dims, |values: &[E], blocks| {
        let work = blocks.reduced.saturating_mul(parallel::HEAVY);
        parallel::collect(blocks.num_results(), 1, work, |range, sink| {
            let mut row = Vec::with_capacity(blocks.reduced);
            for at in range {
                let first = at / blocks.inner * blocks.reduced * blocks.inner + at % blocks.inner;
                let along = values.get(first..).unwrap_or_default().iter().step_by(blocks.inner);
                row.clear();
                row.extend(along.take(blocks.reduced).map(|x| x.widen()));
                sink.push(E::narrow(log_sum_exp_row(&mut row)));
            }
        })
    })
}

/// e<sup>x</sup> / Σ e<sup>x</sup> along `dim`.
#[track_caller]
pub(crate) fn softmax<E: Float>(op: &'static str, x: CpuTensor, dim: usize) -> CpuTensor {
    map_rows::<E>(op, x, dim, |row| {
        let max = greatest(row);
        let total = replace_by_exp(row, max);
        for x in row.iter_mut() {
            *x = *x / total;
        }
    })
}

/// ln(softmax(x)) along `dim`.
#[track_caller]
pub(crate) fn log_softmax<E: Float>(op: &'static str, x: CpuTensor, dim: usize) -> CpuTensor {
    map_rows::<E>(op, x, dim, |row| {
        let max = greatest(row);
        for x in row.iter_mut() {
            *x = *x - max;
        }
        let total = sum_of_exp(row).ln();
        for x in row.iter_mut() {
            *x = *x - total;
        }
    })
}

/// `x` with every row along `dim` replaced by what `update` makes of it in the wider type.
#[track_caller]
fn map_rows<E: Float>(
    op: &'static str,
    x: CpuTensor,
    dim: usize,
    update: impl Fn(&mut [E::Wide]) + Sync,
) -> CpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let last = x.layout().shape().rank() - 1;
    if dim != last {
        let rows = map_rows::<E>(op, movement::swap_dims(op, x, dim, last), last, update);
        return movement::swap_dims(op, rows, dim, last);
    }
    let len = x.layout().shape()[last].max(1);
    let x = x.contiguous();
    let values = x.row_major::<E>();
    let mapped = parallel::collect(values.len(), len, parallel::HEAVY, |range, sink| {
        let mut wide = Vec::with_capacity(len);
        for row in values[range].chunks_exact(len) {
            wide.clear();
            wide.extend(row.iter().map(|x| x.widen()));
            update(&mut wide);
            sink.extend(wide.iter().map(|&x| E::narrow(x)));
        }
    });
    CpuTensor::placed(mapped, x.layout().at_start())
}

fn log_sum_exp_row<R: Real>(row: &mut [R]) -> R {
    let max = greatest(row);
    // An infinite maximum is the result, and would make NaN of the differences below.
    if max.is_infinite() {
        return max;
    }
    max + replace_by_exp(row, max).ln()
}

fn greatest<R: Real>(row: &[R]) -> R {
    fold_row(Max::<R>::NEW, row)
}

/// Replaces each x by e<sup>x - max</sup>, and sums them.
fn replace_by_exp<R: Real>(row: &mut [R], max: R) -> R {
    for x in row.iter_mut() {
        *x = (*x - max).exp();
    }
    fold_row(Sum::<R>::NEW, row)
}

/// Σ e<sup>x</sup>, pairwise over short blocks.
fn sum_of_exp<R: Real>(row: &[R]) -> R {
    let mut block = [R::ZERO; 256];
    let sums: Vec<R> = row
        .chunks(block.len())
        .map(|xs| {
            let exps = &mut block[..xs.len()];
            exps.iter_mut().zip(xs).for_each(|(exp, x)| *exp = x.exp());
            fold_row(Sum::<R>::NEW, exps)
        })
        .collect();
    fold_row(Sum::<R>::NEW, &sums)
}
