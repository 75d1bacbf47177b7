//! Reading at indices.
//!
//! Indices are on the device, where an op cannot look at them without waiting for it. One that is out of range reads no
//! memory: it gives 0, and adds nothing.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{
    DType, OrRaise, Shape, ShapeError, check_type, layout::StridedTensor, raise, shape::check_dim,
};

use crate::{create, element::elem_type, launch::grid, tensor::CubeTensor};

/// The extents around one dimension of a row-major tensor.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    pub(crate) outer: usize,
    pub(crate) extent: usize,
    pub(crate) inner: usize,
}

impl Around {
    pub(crate) fn new(shape: &Shape, dim: usize) -> Self {
        let extent = |dims: &[usize]| dims.iter().product();
        Self { outer: extent(&shape[..dim]), extent: shape[dim], inner: extent(&shape[dim + 1..]) }
    }
}

/// Reads `x` where `index`, which varies over all dimensions or along one alone, says.
#[cube(launch_unchecked)]
fn gather_kernel<T: Numeric, I: Int>(
    x: &[T],
    index: &[I],
    y: &mut [T],
    extent: u32,
    count: u32,
    inner: u32,
    #[comptime] is_vector: bool,
    #[define(T)] _elem: ElemType,
    #[define(I)] _index_elem: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let pos = ABSOLUTE_POS as u32;
        let slice = pos / inner;
        let place = if comptime!(is_vector) { slice % count } else { pos };
        let at = u32::cast_from(index[place as usize]);
        let mut value = T::from_int(0);
        if at < extent {
            value = x[((slice / count * extent + at) * inner + pos % inner) as usize];
        }
        y[ABSOLUTE_POS] = value;
    }
}

/// A new last dimension, 1 where it is the index.
#[cube(launch_unchecked)]
fn one_hot_kernel<T: Numeric, I: Int>(
    index: &[I],
    y: &mut [T],
    num_classes: u32,
    #[define(T)] _elem: ElemType,
    #[define(I)] _index_elem: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let pos = ABSOLUTE_POS as u32;
        let class = u32::cast_from(index[(pos / num_classes) as usize]);
        y[ABSOLUTE_POS] = T::cast_from(class == pos % num_classes);
    }
}

/// For each position of `index`, the element of `x` with that index in dimension `dim`.
#[track_caller]
pub(crate) fn gather(op: &'static str, x: CubeTensor, dim: usize, index: CubeTensor) -> CubeTensor {
    check_gather(op, &x, dim, &index);
    let shape = index.layout().shape().clone();
    read(op, x, dim, index, shape, false)
}

/// The slices of `x` along `dim` with the indices of the vector `index`.
#[track_caller]
pub(crate) fn select(op: &'static str, x: CubeTensor, dim: usize, index: CubeTensor) -> CubeTensor {
    check_select(op, &x, dim, &index);
    let shape = x.layout().shape().clone().with_dim(dim, index.layout().num_elements());
    read(op, x, dim, index, shape, true)
}

#[track_caller]
fn read(
    op: &'static str,
    x: CubeTensor,
    dim: usize,
    index: CubeTensor,
    shape: Shape,
    is_vector: bool,
) -> CubeTensor {
    let (x, index) = (x.into_contiguous(op), index.into_contiguous(op));
    let Around { extent, inner, .. } = Around::new(x.layout().shape(), dim);
    let count = shape[dim];
    if x.layout().num_elements() == 0 && shape.num_elements() > 0 {
        return create::constant(op, [&x, &index], shape, 0.0, x.element_type(), x.on());
    }
    CubeTensor::compute(op, [&x, &index], shape, x.element_type(), x.on(), |client, y| {
        let (cubes, units) = grid(client, y.layout().num_elements());
        // SAFETY: an index is read for each element of `y`, or each slice of it, which is as many as there are, and `x` is read
        // where the index lies in the dimension.
        unsafe {
            gather_kernel::launch_unchecked(
                client,
                cubes,
                units,
                x.buffer(),
                index.buffer(),
                y.buffer(),
                extent as u32,
                count as u32,
                inner as u32,
                is_vector,
                elem_type(x.element_type()),
                elem_type(index.element_type()),
            );
        }
    })
}

/// A new last dimension of `num_classes`: 1 at the index, 0 elsewhere.
#[track_caller]
pub(crate) fn one_hot(op: &'static str, index: CubeTensor, num_classes: usize, dtype: DType) -> CubeTensor {
    check_index_type(op, &index);
    let index = index.into_contiguous(op);
    let shape: Shape = index.layout().shape().iter().copied().chain([num_classes]).collect();
    CubeTensor::compute(op, [&index], shape, dtype, index.on(), |client, y| {
        let (count, dim) = grid(client, y.layout().num_elements());
        // SAFETY: `y` has `num_classes` elements for each index.
        unsafe {
            one_hot_kernel::launch_unchecked(
                client,
                count,
                dim,
                index.buffer(),
                y.buffer(),
                num_classes as u32,
                elem_type(dtype),
                elem_type(index.element_type()),
            );
        }
    })
}

#[track_caller]
pub(crate) fn check_gather(op: &'static str, x: &CubeTensor, dim: usize, index: &CubeTensor) {
    let (shape, index_shape) = (x.layout().shape(), index.layout().shape());
    check_dim(op, shape, dim).or_raise();
    if index_shape.rank() != shape.rank() || index_shape.clone().with_dim(dim, shape[dim]) != *shape {
        let reason = format!("the index may differ in dimension {dim} alone");
        raise(&ShapeError::pair(op, shape, index_shape, reason));
    }
    check_index_type(op, index);
}

#[track_caller]
pub(crate) fn check_select(op: &'static str, x: &CubeTensor, dim: usize, index: &CubeTensor) {
    let (shape, index_shape) = (x.layout().shape(), index.layout().shape());
    check_dim(op, shape, dim).or_raise();
    if index_shape.rank() != 1 {
        raise(&ShapeError::pair(op, shape, index_shape, "the index must be a vector"));
    }
    check_index_type(op, index);
}

#[track_caller]
fn check_index_type(op: &'static str, index: &CubeTensor) {
    check_type(op, "an integer type for the index", index.element_type(), DType::is_int);
}
