//! Bringing the dimensions of a reduction next to each other.

use super::{Layout, StridedTensor, movement};
use crate::{
    error::OrRaise,
    shape::{Shape, check_dims},
};

/// The extents around the reduced dimensions of a tensor, with the dimensions in each part merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// What stands before the reduced dimensions.
    pub outer: usize,
    /// The reduced dimensions.
    pub reduced: usize,
    /// What stands behind them.
    pub inner: usize,
}

impl Blocks {
    fn new(shape: &Shape, is_reduced: impl Fn(usize) -> bool) -> Self {
        let mut blocks = Self { outer: 1, reduced: 1, inner: 1 };
        let mut seen = false;
        for (dim, &extent) in shape.iter().enumerate() {
            if is_reduced(dim) {
                blocks.reduced *= extent;
                seen |= extent != 1;
            } else if seen {
                blocks.inner *= extent;
            } else {
                blocks.outer *= extent;
            }
        }
        blocks
    }

    /// The extents around dimension `dim`.
    ///
    /// # Panics
    ///
    /// If there is no such dimension.
    pub fn along(shape: &Shape, dim: usize) -> Self {
        let extent = |dims: &[usize]| dims.iter().product();
        Self { outer: extent(&shape[..dim]), reduced: shape[dim], inner: extent(&shape[dim + 1..]) }
    }

    /// How many results there are: one for each outer and inner position.
    pub fn num_results(self) -> usize {
        self.outer * self.inner
    }

    /// The three merged dimensions.
    pub fn shape(self) -> Shape {
        [self.outer, self.reduced, self.inner].into()
    }

    /// The shape of the tensor of results.
    pub fn results(self) -> Shape {
        [self.outer, 1, self.inner].into()
    }
}

/// Reduces `x` over `dims` by a kernel that sees its dimensions in the order of the blocks, and gives one result for each
/// outer and inner position, row-major without an offset.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if one of `dims` does not exist or stands twice.
#[track_caller]
pub fn reduce_blocks<T: StridedTensor>(
    op: &'static str,
    x: T,
    dims: &[usize],
    keep_dims: bool,
    kernel: impl FnOnce(T, Blocks) -> T,
) -> T {
    let shape = x.layout().shape().clone();
    check_dims(op, &shape, dims).or_raise();
    let axes = reduction_order(x.layout(), dims);
    let moved = permuted(op, x, axes.as_deref());
    let position = |dim: usize| axes.as_ref().map_or(dim, |axes| axes[dim]);
    let is_reduced = |dim: usize| dims.contains(&position(dim));
    let moved_shape = moved.layout().shape().clone();
    let results = kernel(moved, Blocks::new(&moved_shape, is_reduced));
    let kept = (0..shape.rank()).map(|dim| if is_reduced(dim) { 1 } else { moved_shape[dim] }).collect();
    let results = results.with_layout(Layout::contiguous(kept));
    let results = permuted(op, results, axes.as_deref().map(inverse).as_deref());
    movement::reshape(op, results, shape.reduced(dims, keep_dims))
}

/// The dimensions in the order in which the elements lie, unless they are in row-major order, or have gaps.
pub fn dense_order(layout: &Layout) -> Option<Vec<usize>> {
    (layout.is_dense() && !layout.is_contiguous()).then(|| layout.storage_order().to_vec())
}

/// The axes that undo a permutation.
pub fn inverse(axes: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; axes.len()];
    for (to, &from) in axes.iter().enumerate() {
        inverse[from] = to;
    }
    inverse
}

/// The dimensions in the order of `axes`, if there are any.
#[track_caller]
fn permuted<T: StridedTensor>(op: &'static str, x: T, axes: Option<&[usize]>) -> T {
    match axes {
        Some(axes) => movement::permute(op, x, axes),
        None => x,
    }
}

/// The order of dimensions in which to reduce, unless it is the one they have: that in which the elements lie if there are
/// no gaps, else with the reduced dimensions last if something stands between them.
fn reduction_order(layout: &Layout, dims: &[usize]) -> Option<Vec<usize>> {
    let mut axes = dense_order(layout).unwrap_or_else(|| (0..layout.shape().rank()).collect());
    let not_single = axes.iter().filter(|&&dim| layout.shape()[dim] != 1);
    if !are_neighbours(not_single.map(|dim| dims.contains(dim))) {
        axes.sort_by_key(|dim| dims.contains(dim));
    }
    (!axes.is_sorted()).then_some(axes)
}

/// Whether all that are reduced follow each other.
fn are_neighbours(reduced: impl Iterator<Item = bool>) -> bool {
    let mut starts = 0;
    let mut before = false;
    for is_reduced in reduced {
        starts += usize::from(is_reduced && !before);
        before = is_reduced;
    }
    starts <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_on_each_side_are_merged() {
        let blocks = Blocks::new(&[2, 3, 4, 5].into(), |dim| dim == 1 || dim == 2);
        assert_eq!(blocks, Blocks { outer: 2, reduced: 12, inner: 5 });
        assert_eq!(Blocks::new(&[].into(), |_| true), Blocks { outer: 1, reduced: 1, inner: 1 });
    }

    #[test]
    fn a_transposed_matrix_is_reduced_as_it_lies() {
        let transposed = Layout::contiguous([2, 3].into()).permute(&[1, 0]);
        assert_eq!(reduction_order(&transposed, &[0]), Some(vec![1, 0]));
        assert_eq!(reduction_order(&Layout::contiguous([2, 3].into()), &[0]), None);
    }

    #[test]
    fn what_stands_between_reduced_dimensions_is_moved_before_them() {
        assert_eq!(reduction_order(&Layout::contiguous([2, 3, 4].into()), &[0, 2]), Some(vec![1, 0, 2]));
        assert_eq!(reduction_order(&Layout::contiguous([2, 1, 4].into()), &[0, 2]), None);
    }
}
