//! Views of the same elements, and joining and overwriting parts.

use opswitch_core::{
    Element, OrRaise, Shape, ShapeError, Slice, resolve_slices,
    shape::{cat as cat_shape, check_dim, check_dims, check_expand, check_permutation, check_reshape},
};

use crate::{
    error::check_same_type,
    layout::{Layout, place},
    plan::Plan,
    tensor::CpuTensor,
};

#[track_caller]
pub(crate) fn reshape(op: &'static str, x: CpuTensor, shape: Shape) -> CpuTensor {
    check_reshape(op, x.layout().shape(), &shape).or_raise();
    if *x.layout().shape() == shape {
        return x;
    }
    match x.layout().reshape(shape.clone()) {
        Some(layout) => x.view(layout),
        None => x.contiguous().view(Layout::contiguous(shape)),
    }
}

#[track_caller]
pub(crate) fn permute(op: &'static str, x: CpuTensor, axes: &[usize]) -> CpuTensor {
    check_permutation(op, x.layout().shape(), axes).or_raise();
    let layout = x.layout().permute(axes);
    x.view(layout)
}

#[track_caller]
pub(crate) fn swap_dims(op: &'static str, x: CpuTensor, dim1: usize, dim2: usize) -> CpuTensor {
    let shape = x.layout().shape();
    check_dim(op, shape, dim1).or_raise();
    check_dim(op, shape, dim2).or_raise();
    let mut axes: Vec<usize> = (0..shape.rank()).collect();
    axes.swap(dim1, dim2);
    let layout = x.layout().permute(&axes);
    x.view(layout)
}

#[track_caller]
pub(crate) fn expand(op: &'static str, x: CpuTensor, shape: Shape) -> CpuTensor {
    check_expand(op, x.layout().shape(), &shape).or_raise();
    if *x.layout().shape() == shape {
        return x;
    }
    let layout = x.layout().expand(shape);
    x.view(layout)
}

#[track_caller]
pub(crate) fn flip(op: &'static str, x: CpuTensor, dims: &[usize]) -> CpuTensor {
    check_dims(op, x.layout().shape(), dims).or_raise();
    let layout = x.layout().flip(dims);
    x.view(layout)
}

#[track_caller]
pub(crate) fn slice(op: &'static str, x: CpuTensor, slices: &[Slice]) -> CpuTensor {
    let taken = resolve_slices(op, x.layout().shape(), slices).or_raise();
    let layout = x.layout().slice(&taken);
    x.view(layout)
}

#[track_caller]
pub(crate) fn slice_assign<E: Element>(
    op: &'static str, x: CpuTensor, slices: &[Slice], value: &CpuTensor,
) -> CpuTensor {
    let shape = x.layout().shape().clone();
    let taken = resolve_slices(op, &shape, slices).or_raise();
    let target = Layout::contiguous(shape.clone()).slice(&taken);
    check_expand(op, value.layout().shape(), target.shape()).or_raise();
    check_same_type(op, &x, value);
    let plan = Plan::new(target.shape(), [&target, value.layout()]);
    let (mut values, new) = (x.into_values::<E>(), value.values::<E>());
    plan.runs(0..target.num_elements(), |len, [to, from]| match plan.inner_strides() {
        [1, 1] => values[to..to + len].copy_from_slice(&new[from..from + len]),
        [by_to, by_from] => {
            for i in 0..len {
                values[place(to, i, by_to)] = new[place(from, i, by_from)];
            }
        }
    });
    CpuTensor::new(values, shape)
}

#[track_caller]
pub(crate) fn cat<E: Element>(op: &'static str, tensors: Vec<CpuTensor>, dim: usize) -> CpuTensor {
    let shapes: Vec<Shape> = tensors.iter().map(|tensor| tensor.layout().shape().clone()).collect();
    let shape = cat_shape(op, &shapes, dim).or_raise();
    for tensor in &tensors[1..] {
        check_same_type(op, &tensors[0], tensor);
    }
    let outer: usize = shape[..dim].iter().product();
    let tensors: Vec<CpuTensor> = tensors.into_iter().map(CpuTensor::contiguous).collect();
    let parts: Vec<&[E]> = tensors.iter().map(CpuTensor::row_major).collect();
    let mut values = Vec::with_capacity(shape.num_elements());
    for step in 0..outer {
        for part in &parts {
            let len = part.len() / outer;
            values.extend_from_slice(&part[step * len..][..len]);
        }
    }
    CpuTensor::new(values, shape)
}

/// The element type of the first of `tensors`; joining none is refused as `cat` refuses it everywhere.
#[track_caller]
pub(crate) fn first<'a>(op: &'static str, tensors: &'a [CpuTensor]) -> &'a CpuTensor {
    let none = || ShapeError::single(op, &Shape::default(), "there is no tensor to join");
    tensors.first().ok_or_else(none).or_raise()
}
