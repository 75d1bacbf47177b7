//! Bringing the dimensions to reduce next to each other.

use opswitch_core::{
    OrRaise, Shape,
    layout::{Layout, StridedTensor, movement},
    shape::check_dims,
};

use crate::tensor::CubeTensor;

/// The extents around the reduced dimensions of a row-major tensor, with the dimensions in each part merged.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    pub(super) outer: usize,
    pub(super) reduced: usize,
    pub(super) inner: usize,
}

impl Blocks {
    pub(super) fn num_results(self) -> usize {
        self.outer * self.inner
    }

    /// The shape of the tensor of results.
    pub(super) fn results(self) -> Shape {
        [self.outer, 1, self.inner].into()
    }
}

/// Reduces `x` over `dims` by a kernel that gets row-major elements and gives the results in the shape [`Blocks::results`].
#[track_caller]
pub(super) fn over_dims(
    op: &'static str,
    x: CubeTensor,
    dims: &[usize],
    keep_dims: bool,
    kernel: impl FnOnce(CubeTensor, Blocks) -> CubeTensor,
) -> CubeTensor {
    let shape = x.layout().shape().clone();
    check_dims(op, &shape, dims).or_raise();
    let axes = reduction_order(&x, dims);
    let moved = if axes.is_sorted() { x } else { movement::permute(op, x, &axes) };
    let is_reduced = |dim: usize| dims.contains(&axes[dim]);
    let moved_shape = moved.layout().shape().clone();
    let results = kernel(moved.into_contiguous(op), blocks(&moved_shape, is_reduced));
    let kept = (0..shape.rank()).map(|dim| if is_reduced(dim) { 1 } else { moved_shape[dim] }).collect();
    let results = results.with_layout(Layout::contiguous(kept));
    let results = if axes.is_sorted() { results } else { movement::permute(op, results, &inverse(&axes)) };
    movement::reshape(op, results, shape.reduced(dims, keep_dims))
}

/// The order of dimensions in which to reduce: that in which the elements lie if there are no gaps, else their own, with the
/// reduced dimensions last if something stands between them.
fn reduction_order(x: &CubeTensor, dims: &[usize]) -> Vec<usize> {
    let layout = x.layout();
    let mut axes: Vec<usize> = (0..layout.shape().rank()).collect();
    if layout.is_dense() && !layout.is_contiguous() {
        axes = layout.storage_order().to_vec();
    }
    if !are_neighbours(axes.iter().filter(|&&dim| layout.shape()[dim] != 1).map(|dim| dims.contains(dim))) {
        axes.sort_by_key(|dim| dims.contains(dim));
    }
    axes
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

fn blocks(shape: &Shape, is_reduced: impl Fn(usize) -> bool) -> Blocks {
    let mut blocks = Blocks { outer: 1, reduced: 1, inner: 1 };
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

fn inverse(axes: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; axes.len()];
    for (to, &from) in axes.iter().enumerate() {
        inverse[from] = to;
    }
    inverse
}
