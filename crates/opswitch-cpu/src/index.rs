//! Reading and adding at indices.

use std::borrow::Cow;

use opswitch_core::{
    DType, Element, OpError, OrRaise, Shape, ShapeError, check_same_type, check_type,
    layout::{Layout, place},
    raise,
    shape::check_dim,
};

use crate::{element::Summand, elementwise::cast, parallel, plan::Plan, tensor::CpuTensor};

/// For each position of `index`, the element of `x` with that index in dimension `dim`.
#[track_caller]
pub(crate) fn gather<E: Element>(
    op: &'static str,
    x: &CpuTensor,
    dim: usize,
    index: &CpuTensor,
) -> CpuTensor {
    let index = check_gather(op, x, dim, index);
    let shape = index.layout().shape();
    let start = x.layout().held(dim, shape[dim]);
    CpuTensor::new(read::<E>(x, dim, &start, &index, index.layout(), shape), shape.clone())
}

/// The slices of `x` along `dim` with the indices of the vector `index`.
#[track_caller]
pub(crate) fn select<E: Element>(
    op: &'static str,
    x: &CpuTensor,
    dim: usize,
    index: &CpuTensor,
) -> CpuTensor {
    let index = check_select(op, x, dim, index);
    let shape = x.layout().shape().clone().with_dim(dim, index.layout().num_elements());
    let (x_shape, inner) = (x.layout().shape(), inner_extent(x.layout().shape(), dim));
    if !x.layout().is_contiguous() || inner == 1 {
        let start = x.layout().held(dim, shape[dim]);
        let along = along_dim(index.layout(), dim, &shape);
        return CpuTensor::new(read::<E>(x, dim, &start, &index, &along, &shape), shape);
    }
    let (values, index) = (x.row_major::<E>(), indices(&index));
    let selected = parallel::collect(shape.num_elements(), inner, 1, |range, sink| {
        for slice in range.start / inner..range.end / inner {
            let (outer, at) = (slice / index.len(), index[slice % index.len()] as usize);
            sink.copy(&values[(outer * x_shape[dim] + at) * inner..][..inner]);
        }
    });
    CpuTensor::new(selected, shape)
}

/// `x` with each element of `src` added where `gather` would read.
#[track_caller]
pub(crate) fn scatter_add<E: Summand>(
    op: &'static str,
    x: CpuTensor,
    dim: usize,
    index: &CpuTensor,
    src: &CpuTensor,
) -> CpuTensor {
    check_same_type(op, &x, src);
    let index = check_gather(op, &x, dim, index);
    check_same_shape(op, src.layout().shape(), index.layout().shape());
    add_at::<E>(x, dim, &index, index.layout(), src)
}

/// `x` with each slice of `src` added where `select` would read.
#[track_caller]
pub(crate) fn select_add<E: Summand>(
    op: &'static str,
    x: CpuTensor,
    dim: usize,
    index: &CpuTensor,
    src: &CpuTensor,
) -> CpuTensor {
    check_same_type(op, &x, src);
    let index = check_select(op, &x, dim, index);
    let shape = x.layout().shape().clone();
    let selected = shape.clone().with_dim(dim, index.layout().num_elements());
    check_same_shape(op, src.layout().shape(), &selected);
    let inner = inner_extent(&shape, dim);
    if inner == 1 {
        let along = along_dim(index.layout(), dim, &selected);
        return add_at::<E>(x, dim, &index, &along, src);
    }
    let (src, index) = (src.clone().contiguous(), indices(&index));
    let values = E::update_sums(x.into_values(), |values| {
        for (slice, src) in src.row_major::<E>().chunks_exact(inner.max(1)).enumerate() {
            let (outer, at) = (slice / index.len(), index[slice % index.len()] as usize);
            let target = &mut values[(outer * shape[dim] + at) * inner..][..inner];
            target.iter_mut().zip(src).for_each(|(value, &src)| *value = src.add_to(*value));
        }
    });
    CpuTensor::new(values, shape)
}

/// A new last dimension of `num_classes`: 1 at the index, 0 elsewhere.
#[track_caller]
pub(crate) fn one_hot<E: Element>(op: &'static str, index: &CpuTensor, num_classes: usize) -> CpuTensor {
    let index = as_indices(op, index);
    check_indices(op, &index, num_classes);
    let mut values = vec![E::default(); index.layout().num_elements() * num_classes];
    for (position, &class) in indices(&index).iter().enumerate() {
        values[position * num_classes + class as usize] = E::from_i64(1);
    }
    let dims = index.layout().shape().iter().copied();
    CpuTensor::new(values, dims.chain([num_classes]).collect())
}

/// The elements of `x` that `index` names along `dim`. `start` is the layout of `x` held at index 0 there, and
/// `lies` that of the indices; both broadcast to `shape`.
fn read<E: Element>(
    x: &CpuTensor,
    dim: usize,
    start: &Layout,
    index: &CpuTensor,
    lies: &Layout,
    shape: &Shape,
) -> Vec<E> {
    let (values, index, stride) = (x.values::<E>(), index.values::<i64>(), x.layout().strides()[dim]);
    let plan = Plan::new(shape, [start, lies]);
    parallel::collect(shape.num_elements(), 1, 2, |range, sink| {
        plan.runs(range, |len, [from, at]| {
            let [by_from, by_at] = plan.inner_strides();
            let position = |i| place(place(from, i, by_from), index[place(at, i, by_at)] as usize, stride);
            sink.extend((0..len).map(|i| values[position(i)]));
        });
    })
}

/// `x` with the elements of `src` added at the indices, which lie as `lies` says.
fn add_at<E: Summand>(
    x: CpuTensor,
    dim: usize,
    index: &CpuTensor,
    lies: &Layout,
    src: &CpuTensor,
) -> CpuTensor {
    let (layout, added) = (Layout::contiguous(x.layout().shape().clone()), src.layout().shape());
    let start = layout.held(dim, added[dim]);
    let (stride, index, src_values) = (layout.strides()[dim], index.values::<i64>(), src.values::<E>());
    let plan = Plan::new(added, [&start, lies, src.layout()]);
    let values = E::update_sums(x.into_values(), |values| {
        plan.runs(0..added.num_elements(), |len, [to, at, from]| {
            let [by_to, by_at, by_from] = plan.inner_strides();
            for i in 0..len {
                let position = place(place(to, i, by_to), index[place(at, i, by_at)] as usize, stride);
                values[position] = src_values[place(from, i, by_from)].add_to(values[position]);
            }
        });
    });
    CpuTensor::new(values, layout.shape().clone())
}

/// A vector's layout as that of a tensor which varies along `dim` of `shape` alone.
fn along_dim(vector: &Layout, dim: usize, shape: &Shape) -> Layout {
    let ones = Shape::new(&vec![1; shape.rank()]).with_dim(dim, shape[dim]);
    vector.reshape(ones).expect("extents of 1 need no stride")
}

fn inner_extent(shape: &Shape, dim: usize) -> usize {
    shape[dim + 1..].iter().product()
}

fn indices(index: &CpuTensor) -> Cow<'_, [i64]> {
    match index.as_slice() {
        Some(values) => Cow::Borrowed(values),
        None => Cow::Owned(index.clone().into_values()),
    }
}

#[track_caller]
fn check_gather<'a>(op: &'static str, x: &CpuTensor, dim: usize, index: &'a CpuTensor) -> Cow<'a, CpuTensor> {
    let (shape, index_shape) = (x.layout().shape(), index.layout().shape());
    check_dim(op, shape, dim).or_raise();
    if index_shape.rank() != shape.rank() || index_shape.clone().with_dim(dim, shape[dim]) != *shape {
        let reason = format!("the index may differ in dimension {dim} alone");
        raise(&ShapeError::pair(op, shape, index_shape, reason));
    }
    let index = as_indices(op, index);
    check_indices(op, &index, shape[dim]);
    index
}

#[track_caller]
fn check_select<'a>(op: &'static str, x: &CpuTensor, dim: usize, index: &'a CpuTensor) -> Cow<'a, CpuTensor> {
    let (shape, index_shape) = (x.layout().shape(), index.layout().shape());
    check_dim(op, shape, dim).or_raise();
    if index_shape.rank() != 1 {
        raise(&ShapeError::pair(op, shape, index_shape, "the index must be a vector"));
    }
    let index = as_indices(op, index);
    check_indices(op, &index, shape[dim]);
    index
}

#[track_caller]
fn check_same_shape(op: &'static str, src: &Shape, expected: &Shape) {
    if src != expected {
        let reason = "what is added must have the shape of what the index reads, which is the second";
        raise(&ShapeError::pair(op, src, expected, reason));
    }
}

/// The indices as `i64`, whatever integers they are.
#[track_caller]
fn as_indices<'a>(op: &'static str, index: &'a CpuTensor) -> Cow<'a, CpuTensor> {
    check_type(op, "an integer type for the index", index.element_type(), DType::is_int);
    match index.element_type() {
        DType::I64 => Cow::Borrowed(index),
        _ => Cow::Owned(cast(index.clone(), DType::I64)),
    }
}

#[track_caller]
fn check_indices(op: &'static str, index: &CpuTensor, extent: usize) {
    let values = indices(index);
    let inside = |&index: &i64| (0..extent as i64).contains(&index);
    if let Some(&index) = values.iter().find(|index| !inside(index)) {
        raise(&OpError::Index { op, index, extent });
    }
}
