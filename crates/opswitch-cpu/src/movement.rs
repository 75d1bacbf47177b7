//! Joining and overwriting parts.

use opswitch_core::{
    Element, OrRaise, Shape, Slice, check_same_type, for_dtype,
    layout::{Layout, place},
    resolve_slices,
    shape::{cat as cat_shape, check_expand},
};

use crate::{plan::Plan, tensor::CpuTensor};

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
