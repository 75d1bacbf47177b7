//! Scans: for each element, what it and those before it reduce to.

use opswitch_core::{Element, OrRaise, layout::movement, shape::check_dim};

use super::fold::{Reducer, fold_row};
use crate::{parallel, tensor::CpuTensor};

/// Elements that are scanned one after another before they are merged with what came before them, so that rounding
/// errors grow with the number of blocks.
const BLOCK: usize = 512;
/// Elements of a long row that a thread scans at a time, which are several blocks.
const PIECE: usize = 64 * BLOCK;

/// The scan of `x` along `dim`, each result passed through `finish`.
#[track_caller]
pub(crate) fn scan<R: Reducer, O: Element>(
    op: &'static str,
    reducer: R,
    x: CpuTensor,
    dim: usize,
    finish: impl Fn(R::Acc) -> O + Sync,
) -> CpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let last = x.layout().shape().rank() - 1;
    let x = movement::swap_dims(op, x, dim, last).contiguous();
    let shape = x.layout().shape().clone();
    let (values, len) = (x.row_major::<R::In>(), shape[last].max(1));
    let scanned = if len >= parallel::THRESHOLD {
        values.chunks_exact(len).flat_map(|row| scan_long_row(reducer, row, &finish)).collect()
    } else {
        parallel::collect(values.len(), len, 1, |range, sink| {
            for row in values[range].chunks_exact(len) {
                scan_row(reducer, reducer.identity(), row, |acc| sink.push(finish(acc)));
            }
        })
    };
    movement::swap_dims(op, CpuTensor::new(scanned, shape), dim, last)
}

/// Gives what `start` and each element with those before it reduce to.
fn scan_row<R: Reducer>(reducer: R, start: R::Acc, row: &[R::In], mut give: impl FnMut(R::Acc)) {
    let mut before = start;
    for block in row.chunks(BLOCK) {
        let mut acc = reducer.identity();
        for &x in block {
            acc = reducer.step(acc, x);
            give(reducer.merge(before, acc));
        }
        before = reducer.merge(before, acc);
    }
}

/// The scan of a row that all threads share: of its pieces as wholes, and then within each.
fn scan_long_row<R: Reducer, O: Element>(
    reducer: R,
    row: &[R::In],
    finish: &(impl Fn(R::Acc) -> O + Sync),
) -> Vec<O> {
    let wholes = parallel::collect(row.len().div_ceil(PIECE), 1, PIECE, |range, sink| {
        sink.extend(range.map(|piece| {
            let start = piece * PIECE;
            fold_row(reducer, &row[start..row.len().min(start + PIECE)])
        }));
    });
    let mut starts = Vec::with_capacity(wholes.len());
    let mut before = reducer.identity();
    for whole in wholes {
        starts.push(before);
        before = reducer.merge(before, whole);
    }
    parallel::collect(row.len(), PIECE, 1, |range, sink| {
        let first = range.start / PIECE;
        for (piece, &start) in row[range].chunks(PIECE).zip(&starts[first..]) {
            scan_row(reducer, start, piece, |acc| sink.push(finish(acc)));
        }
    })
}
