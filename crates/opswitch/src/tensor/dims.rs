//! Dimensions that count from the end when they are negative.

use opswitch_core::{OrRaise, Shape, ShapeError, raise, shape::check_dims};

/// The position of a dimension in a shape.
#[track_caller]
pub(super) fn resolve_dim(op: &'static str, shape: &Shape, dim: isize) -> usize {
    match position(dim, shape.rank()) {
        Some(dim) => dim,
        None => raise(&no_dim(op, shape, dim)),
    }
}

/// The positions of several dimensions in a shape, each given at most once.
#[track_caller]
pub(super) fn resolve_dims(op: &'static str, shape: &Shape, dims: &[isize]) -> Vec<usize> {
    let mut positions = Vec::with_capacity(dims.len());
    for &dim in dims {
        positions.push(resolve_dim(op, shape, dim));
    }
    check_dims(op, shape, &positions).or_raise();
    positions
}

/// The position of a dimension that is inserted before, between or after those of a shape.
#[track_caller]
pub(super) fn resolve_gap(op: &'static str, shape: &Shape, dim: isize) -> usize {
    match position(dim, shape.rank() + 1) {
        Some(dim) => dim,
        None => raise(&no_dim(op, shape, dim)),
    }
}

/// Every dimension of a tensor of rank `D`.
pub(super) fn all_dims<const D: usize>() -> [usize; D] {
    std::array::from_fn(|dim| dim)
}

fn position(dim: isize, rank: usize) -> Option<usize> {
    let dim = if dim < 0 { dim.checked_add_unsigned(rank)? } else { dim };
    usize::try_from(dim).ok().filter(|&dim| dim < rank)
}

#[cold]
fn no_dim(op: &'static str, shape: &Shape, dim: isize) -> ShapeError {
    ShapeError::single(op, shape, format!("there is no dimension {dim}"))
}
