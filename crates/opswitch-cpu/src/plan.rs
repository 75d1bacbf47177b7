//! How a loop walks several strided tensors at once.

use std::ops::Range;

use opswitch_core::Shape;
use smallvec::SmallVec;

use opswitch_core::layout::{Layout, place};

/// The loops over a shape and the strides of `N` tensors in them, with neighbouring dimensions merged wherever every
/// tensor lies in them as in one.
pub(crate) struct Plan<const N: usize> {
    extents: SmallVec<[usize; 4]>,
    strides: SmallVec<[[isize; N]; 4]>,
    offsets: [usize; N],
}

impl<const N: usize> Plan<N> {
    /// The loops over `shape`, to which every layout broadcasts.
    pub(crate) fn new(shape: &Shape, layouts: [&Layout; N]) -> Self {
        let mut plan = Self::without_loops(layouts.map(Layout::offset));
        for (dim, &extent) in shape.iter().enumerate() {
            plan.push(extent, layouts.map(|layout| broadcast_stride(layout, shape.rank(), dim)));
        }
        plan
    }

    /// One loop in which every tensor lies without gaps.
    pub(crate) fn flat(len: usize, offsets: [usize; N]) -> Self {
        Self { extents: SmallVec::from_elem(len, 1), strides: SmallVec::from_elem([1; N], 1), offsets }
    }

    /// A single step, to which loops can be added.
    pub(crate) fn without_loops(offsets: [usize; N]) -> Self {
        Self { extents: SmallVec::new(), strides: SmallVec::new(), offsets }
    }

    /// An inner loop, or a longer innermost one if these strides continue it.
    pub(crate) fn push(&mut self, extent: usize, strides: [isize; N]) {
        if extent == 1 {
            return;
        }
        match (self.extents.last_mut(), self.strides.last_mut()) {
            (Some(last), Some(outer)) if *outer == strides.map(|stride| stride * extent as isize) => {
                *last *= extent;
                *outer = strides;
            }
            _ => {
                self.extents.push(extent);
                self.strides.push(strides);
            }
        }
    }

    /// The extent of the innermost loop; 1 if there is no loop.
    pub(crate) fn inner_extent(&self) -> usize {
        self.extents.last().copied().unwrap_or(1)
    }

    /// Removes the innermost loop: its extent and strides.
    pub(crate) fn pop(&mut self) -> Option<(usize, [isize; N])> {
        Some((self.extents.pop()?, self.strides.pop()?))
    }

    /// The strides of the innermost loop; 1 if there is no loop.
    #[inline]
    pub(crate) fn inner_strides(&self) -> [isize; N] {
        self.strides.last().copied().unwrap_or([1; N])
    }

    /// Calls `run` for each piece of the innermost loop that lies in `range` of the row-major order of the shape,
    /// with its length and where each tensor starts.
    #[inline]
    pub(crate) fn runs(&self, range: Range<usize>, mut run: impl FnMut(usize, [usize; N])) {
        self.each_run(range, &mut run);
    }

    /// As [`runs`](Self::runs), compiled once and not for every kernel.
    fn each_run(&self, range: Range<usize>, run: &mut dyn FnMut(usize, [usize; N])) {
        if range.is_empty() {
            return;
        }
        let Some((&inner, outer)) = self.extents.split_last() else {
            return run(range.len(), self.offsets);
        };
        if outer.is_empty() {
            return run(range.len(), advance(self.offsets, range.start, self.inner_strides()));
        }
        let mut walk = self.walk_from(range.start / inner);
        let (mut left, mut skipped) = (range.len(), range.start % inner);
        while left > 0 {
            let len = (inner - skipped).min(left);
            run(len, advance(walk.offsets, skipped, self.inner_strides()));
            left -= len;
            skipped = 0;
            walk.next(outer, &self.strides);
        }
    }

    /// The position of the outer loops at their step `step`.
    fn walk_from(&self, mut step: usize) -> Walk<N> {
        let outer = self.extents.len() - 1;
        let mut walk = Walk { index: SmallVec::from_elem(0, outer), offsets: self.offsets };
        for dim in (0..outer).rev() {
            walk.index[dim] = step % self.extents[dim];
            step /= self.extents[dim];
            walk.offsets = advance(walk.offsets, walk.index[dim], self.strides[dim]);
        }
        walk
    }
}

/// A position in the outer loops of a plan.
struct Walk<const N: usize> {
    index: SmallVec<[usize; 4]>,
    offsets: [usize; N],
}

impl<const N: usize> Walk<N> {
    #[inline]
    fn next(&mut self, extents: &[usize], strides: &[[isize; N]]) {
        for dim in (0..extents.len()).rev() {
            self.index[dim] += 1;
            if self.index[dim] < extents[dim] {
                self.offsets = advance(self.offsets, 1, strides[dim]);
                return;
            }
            self.index[dim] = 0;
            self.offsets = advance(self.offsets, extents[dim] - 1, strides[dim].map(|stride| -stride));
        }
    }
}

#[inline]
fn advance<const N: usize>(mut offsets: [usize; N], steps: usize, strides: [isize; N]) -> [usize; N] {
    for (offset, stride) in offsets.iter_mut().zip(strides) {
        *offset = place(*offset, steps, stride);
    }
    offsets
}

/// The stride of a layout in dimension `dim` of a shape of `rank` that it broadcasts to.
fn broadcast_stride(layout: &Layout, rank: usize, dim: usize) -> isize {
    match (dim + layout.shape().rank()).checked_sub(rank) {
        Some(own) if layout.shape()[own] != 1 => layout.strides()[own],
        _ => 0,
    }
}
