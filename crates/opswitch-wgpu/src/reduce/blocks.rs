//! Bringing the dimensions to reduce next to each other.

use opswitch_core::{
    OrRaise, Shape,
    layout::{Layout, StridedTensor, movement},
    shape::check_dims,
};

use crate::tensor::WgpuTensor;

/// The extents around the reduced dimensions of a row-major tensor, with the dimensions in each part merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    pub(crate) outer: usize,
    pub(crate) reduced: usize,
    pub(crate) inner: usize,
}

impl Blocks {
    pub(crate) fn num_results(self) -> usize {
        self.outer * self.inner
    }

    /// The three merged dimensions.
    pub(super) fn shape(self) -> Shape {
        [self.outer, self.reduced, self.inner].into()
    }

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
}

/// Reduces `x` over `dims` by a kernel that sees it in row-major order, and gives one result for each outer and inner
/// position.
#[track_caller]
pub(super) fn reduce(
    op: &'static str,
    x: &WgpuTensor,
    dims: &[usize],
    keep_dims: bool,
    kernel: impl FnOnce(&WgpuTensor, Blocks) -> WgpuTensor,
) -> WgpuTensor {
    let shape = x.layout().shape().clone();
    check_dims(op, &shape, dims).or_raise();
    let axes = reduction_order(x.layout(), dims);
    let moved = row_major(op, permuted(op, x.clone(), axes.as_deref()));
    let position = |dim: usize| axes.as_ref().map_or(dim, |axes| axes[dim]);
    let is_reduced = |dim: usize| dims.contains(&position(dim));
    let moved_shape = moved.layout().shape().clone();
    let results = kernel(&moved, Blocks::new(&moved_shape, is_reduced));
    let kept: Shape =
        (0..shape.rank()).map(|dim| if is_reduced(dim) { 1 } else { moved_shape[dim] }).collect();
    let results = results.with_layout(Layout::contiguous(kept));
    let results = permuted(op, results, axes.as_deref().map(inverse).as_deref());
    movement::reshape(op, results, shape.reduced(dims, keep_dims))
}

/// The dimensions in the order in which the elements lie, unless they are in row-major order, or have gaps.
pub(super) fn dense_order(layout: &Layout) -> Option<Vec<usize>> {
    (layout.is_dense() && !layout.is_contiguous()).then(|| layout.storage_order().to_vec())
}

/// The dimensions in the order of `axes`, if there are any.
#[track_caller]
pub(super) fn permuted(op: &'static str, x: WgpuTensor, axes: Option<&[usize]>) -> WgpuTensor {
    match axes {
        Some(axes) => movement::permute(op, x, axes),
        None => x,
    }
}

/// The axes that undo a permutation.
pub(super) fn inverse(axes: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; axes.len()];
    for (to, &from) in axes.iter().enumerate() {
        inverse[from] = to;
    }
    inverse
}

/// In row-major order, at any offset.
fn row_major(op: &'static str, x: WgpuTensor) -> WgpuTensor {
    if x.layout().is_contiguous() { x } else { x.contiguous(op) }
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
