//! Views of the same elements, and joining and overwriting parts.

use opswitch_core::{
    Element, OrRaise, Shape, Slice, for_dtype, resolve_slices,
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
    op: &'static str,
    x: CpuTensor,
    slices: &[Slice],
    value: &CpuTensor,
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
pub(crate) fn cat(op: &'static str, tensors: Vec<CpuTensor>, dim: usize) -> CpuTensor {
    let shapes: Vec<Shape> = tensors.iter().map(|tensor| tensor.layout().shape().clone()).collect();
    let shape = cat_shape(op, &shapes, dim).or_raise();
    for tensor in &tensors[1..] {
        check_same_type(op, &tensors[0], tensor);
    }
    let tensors: Vec<CpuTensor> = tensors.into_iter().map(CpuTensor::contiguous).collect();
    for_dtype!(tensors[0].element_type(), |E| joined::<E>(&tensors, dim, shape))
}

fn joined<E: Element>(tensors: &[CpuTensor], dim: usize, shape: Shape) -> CpuTensor {
    let outer: usize = shape[..dim].iter().product();
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

/// The movement methods of an op family, which treat all element types alike.
macro_rules! movement_methods {
    ($reshape:ident, $permute:ident, $swap_dims:ident, $expand:ident, $flip:ident, $slice:ident, $cat:ident) => {
        #[track_caller]
        fn $reshape(x: CpuTensor, shape: Shape) -> CpuTensor {
            movement::reshape(stringify!($reshape), x, shape)
        }

        #[track_caller]
        fn $permute(x: CpuTensor, axes: &[usize]) -> CpuTensor {
            movement::permute(stringify!($permute), x, axes)
        }

        #[track_caller]
        fn $swap_dims(x: CpuTensor, dim1: usize, dim2: usize) -> CpuTensor {
            movement::swap_dims(stringify!($swap_dims), x, dim1, dim2)
        }

        #[track_caller]
        fn $expand(x: CpuTensor, shape: Shape) -> CpuTensor {
            movement::expand(stringify!($expand), x, shape)
        }

        #[track_caller]
        fn $flip(x: CpuTensor, dims: &[usize]) -> CpuTensor {
            movement::flip(stringify!($flip), x, dims)
        }

        #[track_caller]
        fn $slice(x: CpuTensor, slices: &[Slice]) -> CpuTensor {
            movement::slice(stringify!($slice), x, slices)
        }

        #[track_caller]
        fn $cat(tensors: Vec<CpuTensor>, dim: usize) -> CpuTensor {
            movement::cat(stringify!($cat), tensors, dim)
        }
    };
}

pub(crate) use movement_methods;
