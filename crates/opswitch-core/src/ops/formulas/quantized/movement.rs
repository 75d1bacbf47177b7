//! Movement of codes, and of the scales that belong to them.

use super::codes::{codes, from_codes};
use crate::{
    backend::{FloatTensor, IntTensor, QuantizedTensor, TensorHandle},
    error::{OrRaise, ShapeError, raise},
    ops::{FloatOps, IntOps, QuantizedOps},
    quantized::{QuantLevel, QuantParts, QuantScheme},
    shape::{Shape, check_dim, check_dims, check_expand, check_permutation, check_reshape},
    slice::{Slice, resolve_slices},
};

/// What becomes of codes, or of scales and zero points.
enum Move<'a, I> {
    Nothing,
    Reshape(Shape),
    Permute(&'a [usize]),
    Expand(Shape),
    Flip(&'a [usize]),
    Slice(Vec<Slice>),
    Select(usize, I),
}

impl<I: Clone> Move<'_, I> {
    fn of_float<B: FloatOps<IntTensor = I>>(&self, x: FloatTensor<B>) -> FloatTensor<B> {
        match self {
            Self::Nothing => x,
            Self::Reshape(shape) => B::float_reshape(x, shape.clone()),
            Self::Permute(axes) => B::float_permute(x, axes),
            Self::Expand(shape) => B::float_expand(x, shape.clone()),
            Self::Flip(dims) => B::float_flip(x, dims),
            Self::Slice(slices) => B::float_slice(x, slices),
            Self::Select(dim, index) => B::float_select(x, *dim, index.clone()),
        }
    }

    fn of_int<B: IntOps<IntTensor = I>>(&self, x: I) -> I {
        match self {
            Self::Nothing => x,
            Self::Reshape(shape) => B::int_reshape(x, shape.clone()),
            Self::Permute(axes) => B::int_permute(x, axes),
            Self::Expand(shape) => B::int_expand(x, shape.clone()),
            Self::Flip(dims) => B::int_flip(x, dims),
            Self::Slice(slices) => B::int_slice(x, slices),
            Self::Select(dim, index) => B::int_select(x, *dim, index.clone()),
        }
    }
}

/// The tensor with its codes moved in one way and its scale in another, which leaves the scale at this level.
#[track_caller]
fn moved<B: QuantizedOps>(
    op: &'static str,
    parts: QuantParts<B>,
    level: QuantLevel,
    of_codes: &Move<'_, IntTensor<B>>,
    of_scale: &Move<'_, IntTensor<B>>,
) -> QuantizedTensor<B> {
    let codes = of_codes.of_int::<B>(codes::<B>(&parts));
    let scale = of_scale.of_float::<B>(parts.scale);
    let zero_point = parts.zero_point.map(|zero| of_scale.of_int::<B>(zero));
    from_codes::<B>(op, codes, scale, zero_point, QuantScheme { level, ..parts.scheme })
}

#[track_caller]
pub(in crate::ops) fn q_reshape<B: QuantizedOps>(
    op: &'static str,
    q: QuantizedTensor<B>,
    shape: Shape,
) -> QuantizedTensor<B> {
    let parts = B::q_into_parts(q);
    check_reshape(op, &parts.shape, &shape).or_raise();
    let (level, of_scale) = match parts.scheme.level {
        QuantLevel::Tensor => (QuantLevel::Tensor, Move::Nothing),
        QuantLevel::Channel { axis } => {
            let before = |shape: &Shape, dim: usize| shape[..dim].iter().product::<usize>();
            let is_same = |&dim: &usize| {
                shape[dim] == parts.shape[axis] && before(&shape, dim) == before(&parts.shape, axis)
            };
            match (0..shape.rank()).find(is_same) {
                Some(axis) => (QuantLevel::Channel { axis }, Move::Nothing),
                None => raise(&ShapeError::pair(
                    op,
                    &parts.shape,
                    &shape,
                    "the channels would not be a dimension",
                )),
            }
        }
        QuantLevel::Block { size } => match shape.split_last() {
            Some((last, rows)) if last.is_multiple_of(size) => {
                let blocks = rows.iter().copied().chain([last / size]);
                (QuantLevel::Block { size }, Move::Reshape(blocks.collect()))
            }
            _ => raise(&ShapeError::pair(
                op,
                &parts.shape,
                &shape,
                "blocks would not lie in the last dimension",
            )),
        },
    };
    moved::<B>(op, parts, level, &Move::Reshape(shape), &of_scale)
}

#[track_caller]
pub(in crate::ops) fn q_permute<B: QuantizedOps>(
    op: &'static str,
    q: QuantizedTensor<B>,
    axes: &[usize],
) -> QuantizedTensor<B> {
    let parts = B::q_into_parts(q);
    check_permutation(op, &parts.shape, axes).or_raise();
    let (level, of_scale) = match parts.scheme.level {
        QuantLevel::Tensor => (QuantLevel::Tensor, Move::Nothing),
        QuantLevel::Channel { axis } => {
            let axis = axes.iter().position(|&from| from == axis).expect("a permutation has every dimension");
            (QuantLevel::Channel { axis }, Move::Nothing)
        }
        level if axes.last().is_some_and(|&last| last + 1 == axes.len()) => (level, Move::Permute(axes)),
        QuantLevel::Block { .. } => raise(&ShapeError::single(
            op,
            &parts.shape,
            "the last dimension, in which blocks lie, must stay last",
        )),
    };
    moved::<B>(op, parts, level, &Move::Permute(axes), &of_scale)
}

#[track_caller]
pub(in crate::ops) fn q_expand<B: QuantizedOps>(
    op: &'static str,
    q: QuantizedTensor<B>,
    shape: Shape,
) -> QuantizedTensor<B> {
    let parts = B::q_into_parts(q);
    check_expand(op, &parts.shape, &shape).or_raise();
    let (level, of_scale) = match parts.scheme.level {
        QuantLevel::Tensor => (QuantLevel::Tensor, Move::Nothing),
        QuantLevel::Channel { axis } => {
            let axis = axis + shape.rank() - parts.shape.rank();
            (QuantLevel::Channel { axis }, Move::Expand([shape[axis]].into()))
        }
        // An extent of 1 is a block of 1, and so is each of those that it expands to.
        QuantLevel::Block { size } => {
            let last = shape.rank() - 1;
            let scale = shape.clone().with_dim(last, shape[last] / size);
            (QuantLevel::Block { size }, Move::Expand(scale))
        }
    };
    moved::<B>(op, parts, level, &Move::Expand(shape), &of_scale)
}

#[track_caller]
pub(in crate::ops) fn q_flip<B: QuantizedOps>(
    op: &'static str,
    q: QuantizedTensor<B>,
    dims: &[usize],
) -> QuantizedTensor<B> {
    let parts = B::q_into_parts(q);
    check_dims(op, &parts.shape, dims).or_raise();
    let level = parts.scheme.level;
    let of_scale = match level {
        QuantLevel::Channel { axis } if dims.contains(&axis) => Move::Flip(&[0]),
        QuantLevel::Tensor | QuantLevel::Channel { .. } => Move::Nothing,
        QuantLevel::Block { .. } => Move::Flip(dims),
    };
    moved::<B>(op, parts, level, &Move::Flip(dims), &of_scale)
}

#[track_caller]
pub(in crate::ops) fn q_slice<B: QuantizedOps>(
    op: &'static str,
    q: QuantizedTensor<B>,
    slices: &[Slice],
) -> QuantizedTensor<B> {
    let parts = B::q_into_parts(q);
    let taken = resolve_slices(op, &parts.shape, slices).or_raise();
    let level = parts.scheme.level;
    let of_scale = match level {
        QuantLevel::Tensor => Move::Nothing,
        QuantLevel::Channel { axis } => Move::Slice(slices.get(axis).copied().into_iter().collect()),
        // The other dimensions are those of the scale too.
        QuantLevel::Block { .. } if slices.len() < taken.len() => Move::Slice(slices.to_vec()),
        QuantLevel::Block { size } => {
            let (last, mut slices) = (taken[taken.len() - 1], slices.to_vec());
            let is_whole = last.first.is_multiple_of(size) && last.len.is_multiple_of(size);
            let blocks = match last.step {
                _ if size == 1 || last.len == 0 => slices[taken.len() - 1],
                1 if is_whole => {
                    Slice::from((last.first / size) as isize..((last.first + last.len) / size) as isize)
                }
                _ => raise(&ShapeError::single(op, &parts.shape, format!("blocks of {size} would be cut"))),
            };
            slices[taken.len() - 1] = if last.len == 0 { Slice::from(0..0) } else { blocks };
            Move::Slice(slices)
        }
    };
    moved::<B>(op, parts, level, &Move::Slice(slices.to_vec()), &of_scale)
}

#[track_caller]
pub(in crate::ops) fn q_select<B: QuantizedOps>(
    op: &'static str,
    q: QuantizedTensor<B>,
    dim: usize,
    index: IntTensor<B>,
) -> QuantizedTensor<B> {
    let parts = B::q_into_parts(q);
    check_dim(op, &parts.shape, dim).or_raise();
    if index.shape().rank() != 1 {
        raise(&ShapeError::pair(op, &parts.shape, &index.shape(), "the index must be a vector"));
    }
    let level = parts.scheme.level;
    let of_scale = match level {
        QuantLevel::Channel { axis } if axis == dim => Move::Select(0, index.clone()),
        QuantLevel::Tensor | QuantLevel::Channel { .. } => Move::Nothing,
        QuantLevel::Block { size } if size > 1 && dim + 1 == parts.shape.rank() => {
            raise(&ShapeError::single(op, &parts.shape, format!("blocks of {size} would be cut")))
        }
        QuantLevel::Block { .. } => Move::Select(dim, index.clone()),
    };
    moved::<B>(op, parts, level, &Move::Select(dim, index), &of_scale)
}
