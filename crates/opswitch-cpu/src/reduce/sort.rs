//! The order of the elements.

use std::cmp::Ordering;

use opswitch_core::{OrRaise, layout::movement, shape::check_dim};
use rayon::prelude::*;

use crate::{
    element::{Float, Real},
    parallel,
    tensor::CpuTensor,
};

/// The work of sorting, in units of an addition an element.
const WORK: usize = 64;

/// Where the elements along `dim` are in ascending or descending order: the first of equal ones first, NaN as the
/// greatest.
#[track_caller]
pub(crate) fn argsort<E: Float>(op: &'static str, x: CpuTensor, dim: usize, descending: bool) -> CpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let last = x.layout().shape().rank() - 1;
    let x = movement::swap_dims(op, x, dim, last).contiguous();
    let shape = x.layout().shape().clone();
    let (values, len) = (x.row_major::<E>(), shape[last].max(1));
    let sorted = parallel::collect(values.len(), len, WORK, |range, sink| {
        for row in values[range].chunks_exact(len) {
            sink.extend(sorted_row(row, descending).into_iter().map(|(_, at)| at));
        }
    });
    movement::swap_dims(op, CpuTensor::new(sorted, shape), dim, last)
}

/// The elements of a row in order, with their indices.
fn sorted_row<E: Float>(row: &[E], descending: bool) -> Vec<(E::Wide, i64)> {
    let mut pairs: Vec<_> = row.iter().map(|x| x.widen()).zip(0..).collect();
    let by_value = |lhs: &(E::Wide, i64), rhs: &(E::Wide, i64)| {
        if descending { order(rhs.0, lhs.0) } else { order(lhs.0, rhs.0) }
    };
    if pairs.len() * WORK < parallel::THRESHOLD {
        pairs.sort_by(by_value);
    } else {
        pairs.par_sort_by(by_value);
    }
    pairs
}

fn order<R: Real>(lhs: R, rhs: R) -> Ordering {
    lhs.partial_cmp(&rhs).unwrap_or_else(|| lhs.is_nan().cmp(&rhs.is_nan()))
}
