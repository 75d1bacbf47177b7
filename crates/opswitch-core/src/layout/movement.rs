//! Views of the same elements.

use super::{Layout, StridedTensor};
use crate::{
    error::OrRaise,
    shape::{Shape, check_dim, check_dims, check_expand, check_permutation, check_reshape, check_unfold},
    slice::{Slice, resolve_slices},
};

/// The same elements in row-major order under another shape: a view if strides can express it, else a copy.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if the shapes do not fit.
#[track_caller]
pub fn reshape<T: StridedTensor>(op: &'static str, x: T, shape: Shape) -> T {
    check_reshape(op, x.layout().shape(), &shape).or_raise();
    if *x.layout().shape() == shape {
        return x;
    }
    match x.layout().reshape(shape.clone()) {
        Some(layout) => x.with_layout(layout),
        None => x.into_contiguous(op).with_layout(Layout::contiguous(shape)),
    }
}

/// The dimensions in the order of `axes`.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if the shapes do not fit.
#[track_caller]
pub fn permute<T: StridedTensor>(op: &'static str, x: T, axes: &[usize]) -> T {
    check_permutation(op, x.layout().shape(), axes).or_raise();
    let layout = x.layout().permute(axes);
    x.with_layout(layout)
}

/// The dimensions `dim1` and `dim2` exchanged.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if the shapes do not fit.
#[track_caller]
pub fn swap_dims<T: StridedTensor>(op: &'static str, x: T, dim1: usize, dim2: usize) -> T {
    let shape = x.layout().shape();
    check_dim(op, shape, dim1).or_raise();
    check_dim(op, shape, dim2).or_raise();
    let mut axes: Vec<usize> = (0..shape.rank()).collect();
    axes.swap(dim1, dim2);
    let layout = x.layout().permute(&axes);
    x.with_layout(layout)
}

/// Extents of 1, and new leading dimensions, repeated to `shape`.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if the shapes do not fit.
#[track_caller]
pub fn expand<T: StridedTensor>(op: &'static str, x: T, shape: Shape) -> T {
    check_expand(op, x.layout().shape(), &shape).or_raise();
    if *x.layout().shape() == shape {
        return x;
    }
    let layout = x.layout().expand(shape);
    x.with_layout(layout)
}

/// The order of the elements reversed along `dims`.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if the shapes do not fit.
#[track_caller]
pub fn flip<T: StridedTensor>(op: &'static str, x: T, dims: &[usize]) -> T {
    check_dims(op, x.layout().shape(), dims).or_raise();
    let layout = x.layout().flip(dims);
    x.with_layout(layout)
}

/// The elements that `slices` take.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if the shapes do not fit.
#[track_caller]
pub fn slice<T: StridedTensor>(op: &'static str, x: T, slices: &[Slice]) -> T {
    let taken = resolve_slices(op, x.layout().shape(), slices).or_raise();
    let layout = x.layout().slice(&taken);
    x.with_layout(layout)
}

/// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension.
///
/// # Panics
///
/// With the text of a [`ShapeError`](crate::ShapeError) if the shapes do not fit.
#[track_caller]
pub fn unfold<T: StridedTensor>(op: &'static str, x: T, dim: usize, size: usize, step: usize) -> T {
    check_unfold(op, x.layout().shape(), dim, size, step).or_raise();
    let layout = x.layout().unfold(dim, size, step);
    x.with_layout(layout)
}

/// The movement methods of an op family for a backend whose tensors are [`StridedTensor`]s.
#[macro_export]
macro_rules! movement_methods {
    ($tensor:ty: $reshape:ident, $permute:ident, $swap_dims:ident, $expand:ident, $flip:ident, $slice:ident, $unfold:ident) => {
        #[track_caller]
        fn $reshape(x: $tensor, shape: $crate::Shape) -> $tensor {
            $crate::layout::movement::reshape(stringify!($reshape), x, shape)
        }

        #[track_caller]
        fn $permute(x: $tensor, axes: &[usize]) -> $tensor {
            $crate::layout::movement::permute(stringify!($permute), x, axes)
        }

        #[track_caller]
        fn $swap_dims(x: $tensor, dim1: usize, dim2: usize) -> $tensor {
            $crate::layout::movement::swap_dims(stringify!($swap_dims), x, dim1, dim2)
        }

        #[track_caller]
        fn $expand(x: $tensor, shape: $crate::Shape) -> $tensor {
            $crate::layout::movement::expand(stringify!($expand), x, shape)
        }

        #[track_caller]
        fn $flip(x: $tensor, dims: &[usize]) -> $tensor {
            $crate::layout::movement::flip(stringify!($flip), x, dims)
        }

        #[track_caller]
        fn $slice(x: $tensor, slices: &[$crate::Slice]) -> $tensor {
            $crate::layout::movement::slice(stringify!($slice), x, slices)
        }

        #[track_caller]
        fn $unfold(x: $tensor, dim: usize, size: usize, step: usize) -> $tensor {
            $crate::layout::movement::unfold(stringify!($unfold), x, dim, size, step)
        }
    };
}
