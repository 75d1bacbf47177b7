//! Where the elements of a strided tensor lie in its storage, and the ops that change nothing else.

mod blocks;
pub mod movement;

use std::sync::Arc;

use smallvec::SmallVec;

pub use self::blocks::{Blocks, dense_order, inverse, reduce_blocks};
use crate::{backend::TensorHandle, shape::Shape, slice::SliceIndices};

/// The distance, in elements, between neighbours in each dimension.
pub type Strides = SmallVec<[isize; 4]>;

/// A tensor that is a strided view of its storage. It gets the movement ops from [`movement`].
pub trait StridedTensor: TensorHandle {
    /// Where the elements lie.
    fn layout(&self) -> &Arc<Layout>;

    /// Another view of the same storage. `layout` stays inside it.
    fn with_layout(self, layout: Layout) -> Self;

    /// This tensor in row-major order without gaps: itself if it is already, else a copy.
    #[track_caller]
    fn into_contiguous(self, op: &'static str) -> Self;
}

/// A view of some storage: element `i` is at `offset + Σ i[d] * strides[d]`.
///
/// Every element of the view lies inside the storage. A view without elements has offset 0.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    strides: Strides,
    offset: usize,
    contiguous: bool,
    dense: bool,
}

impl Layout {
    /// Row-major from the start of the storage.
    pub fn contiguous(shape: Shape) -> Self {
        let strides = shape.contiguous_strides();
        Self { shape, strides, offset: 0, contiguous: true, dense: true }
    }

    fn new(shape: Shape, strides: Strides, offset: usize) -> Self {
        if shape.num_elements() == 0 {
            return Self::contiguous(shape);
        }
        let contiguous = is_row_major(shape.iter().zip(&strides).rev());
        let dense = contiguous || is_dense(&shape, &strides);
        Self { shape, strides, offset, contiguous, dense }
    }

    /// The extents.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The distance, in elements, between neighbours in each dimension.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The position of the first element.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of elements in the view.
    pub fn num_elements(&self) -> usize {
        self.shape.num_elements()
    }

    /// Whether the elements lie in row-major order without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// Whether the elements lie without gaps in the order of some permutation of the dimensions, which a
    /// transposed matrix does.
    pub fn is_dense(&self) -> bool {
        self.dense
    }

    /// Whether both place the same indices at the same distances, without gaps.
    pub fn is_dense_like(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        self.dense
            && (Arc::ptr_eq(self, other) || (self.shape == other.shape && self.strides == other.strides))
    }

    /// This layout at the start of its storage.
    pub fn at_start(self: &Arc<Self>) -> Arc<Self> {
        if self.offset == 0 {
            return Arc::clone(self);
        }
        Arc::new(Self::new(self.shape.clone(), self.strides.clone(), 0))
    }

    /// The dimensions in the order of `axes`, a permutation of them.
    pub fn permute(&self, axes: &[usize]) -> Self {
        let strides = axes.iter().map(|&axis| self.strides[axis]).collect();
        Self::new(self.shape.permuted(axes), strides, self.offset)
    }

    /// New dimensions and extents of 1 repeated without moving: their strides are 0.
    pub fn expand(&self, shape: Shape) -> Self {
        let new_dims = shape.rank() - self.shape.rank();
        let stride = |dim: usize| match dim.checked_sub(new_dims) {
            Some(old) if self.shape[old] == shape[dim] => self.strides[old],
            _ => 0,
        };
        let strides = (0..shape.rank()).map(stride).collect();
        Self::new(shape, strides, self.offset)
    }

    /// The order reversed along `dims`: their strides change sign.
    pub fn flip(&self, dims: &[usize]) -> Self {
        let mut strides = self.strides.clone();
        let mut offset = self.offset;
        for &dim in dims {
            let last = self.shape[dim].saturating_sub(1);
            offset = place(offset, last, strides[dim]);
            strides[dim] = -strides[dim];
        }
        Self::new(self.shape.clone(), strides, offset)
    }

    /// The indices `taken` in each dimension.
    pub fn slice(&self, taken: &[SliceIndices]) -> Self {
        let mut offset = self.offset;
        let mut strides = Strides::new();
        for (indices, &stride) in taken.iter().zip(&self.strides) {
            offset = place(offset, indices.first, stride);
            strides.push(stride * indices.step);
        }
        Self::new(taken.iter().map(|indices| indices.len).collect(), strides, offset)
    }

    /// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension; `dim` counts them. They overlap in
    /// storage where `step` is less than `size`.
    pub fn unfold(&self, dim: usize, size: usize, step: usize) -> Self {
        let mut shape = self.shape.to_vec();
        shape[dim] = (shape[dim] - size) / step + 1;
        shape.push(size);
        let mut strides = self.strides.clone();
        strides.push(strides[dim]);
        strides[dim] *= step as isize;
        Self::new(shape.into(), strides, self.offset)
    }

    /// This layout with dimension `dim` standing still at its first index, `extent` times.
    pub fn held(&self, dim: usize, extent: usize) -> Self {
        let mut strides = self.strides.clone();
        strides[dim] = 0;
        Self::new(self.shape.clone().with_dim(dim, extent), strides, self.offset)
    }

    /// The same elements in the same order under another shape, if strides can express it.
    pub fn reshape(&self, shape: Shape) -> Option<Self> {
        if self.contiguous {
            let strides = shape.contiguous_strides();
            return Some(Self::new(shape, strides, self.offset));
        }
        let strides = self.reshaped_strides(&shape)?;
        Some(Self::new(shape, strides, self.offset))
    }

    /// Splits each run of dimensions that lies like one dimension into the new extents, innermost first.
    fn reshaped_strides(&self, shape: &Shape) -> Option<Strides> {
        let mut strides = Strides::from_elem(0, shape.rank());
        let mut left = shape.rank();
        let (mut run, mut placed) = (1, 1);
        let mut unit = self.strides[self.shape.rank() - 1];
        for dim in (0..self.shape.rank()).rev() {
            run *= self.shape[dim];
            let continues =
                dim > 0 && (self.shape[dim - 1] == 1 || self.strides[dim - 1] == run as isize * unit);
            if continues {
                continue;
            }
            while left > 0 && (placed < run || shape[left - 1] == 1) {
                left -= 1;
                strides[left] = placed as isize * unit;
                placed *= shape[left];
            }
            if placed != run {
                return None;
            }
            if dim > 0 {
                (run, placed, unit) = (1, 1, self.strides[dim - 1]);
            }
        }
        Some(strides)
    }

    /// The dimensions in the order in which the elements lie, outermost first.
    pub fn storage_order(&self) -> SmallVec<[usize; 4]> {
        let mut axes: SmallVec<[usize; 4]> = (0..self.shape.rank()).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(self.strides[axis]));
        axes
    }
}

/// The position `count` strides after `offset`.
#[inline]
pub fn place(offset: usize, count: usize, stride: isize) -> usize {
    offset.wrapping_add_signed(stride.wrapping_mul(count as isize))
}

/// Whether these extents and strides, innermost first, leave no gap. Strides of single elements do not matter.
fn is_row_major<'a>(dims: impl Iterator<Item = (&'a usize, &'a isize)>) -> bool {
    let mut expected = 1;
    for (&extent, &stride) in dims {
        if extent != 1 {
            if stride != expected {
                return false;
            }
            expected *= extent as isize;
        }
    }
    true
}

fn is_dense(shape: &Shape, strides: &Strides) -> bool {
    let mut dims: SmallVec<[(&usize, &isize); 4]> = shape.iter().zip(strides).collect();
    dims.sort_by_key(|&(_, stride)| *stride);
    is_row_major(dims.into_iter())
}
