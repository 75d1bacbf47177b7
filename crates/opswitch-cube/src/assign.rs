//! Joining and overwriting parts.

use cubecl::{ir::ElemType, prelude::*, std::FastDivmod};
use opswitch_core::{
    OrRaise, Shape, Slice, SliceIndices, check_same_type,
    layout::Layout,
    resolve_slices,
    shape::{cat as cat_shape, check_expand},
};

use crate::{
    element::elem_type,
    launch::grid,
    tensor::CubeTensor,
    walk::{Walk, position},
};

#[cube(launch_unchecked)]
fn write_kernel<T: Numeric>(
    x: &[T],
    y: &mut [T],
    len: u32,
    extents: Sequence<FastDivmod<u32>>,
    x_strides: Sequence<u32>,
    y_strides: Sequence<u32>,
    #[define(T)] _elem: ElemType,
) {
    let pos = ABSOLUTE_POS as u32;
    if pos < len {
        y[position(pos, &extents, &y_strides)] = x[position(pos, &extents, &x_strides)];
    }
}

/// `x` with the elements that `slices` take replaced by `value`, which broadcasts to their shape.
#[track_caller]
pub(crate) fn slice_assign(
    op: &'static str,
    x: CubeTensor,
    slices: &[Slice],
    value: CubeTensor,
) -> CubeTensor {
    let shape = x.layout().shape().clone();
    let taken = resolve_slices(op, &shape, slices).or_raise();
    let target = Layout::contiguous(shape).slice(&taken);
    check_expand(op, value.layout().shape(), target.shape()).or_raise();
    check_same_type(op, &x, &value);
    if target.num_elements() == 0 && value.failure().is_none() {
        return x;
    }
    let inputs = [&x, &value];
    CubeTensor::compute(op, inputs, x.layout().shape().clone(), x.element_type(), x.on(), |client, y| {
        write(client, &x, y, &Layout::contiguous(x.layout().shape().clone()));
        write(client, &value, y, &target);
    })
}

/// The tensors joined along `dim`.
#[track_caller]
pub(crate) fn cat(op: &'static str, tensors: Vec<CubeTensor>, dim: usize) -> CubeTensor {
    let shapes: Vec<Shape> = tensors.iter().map(|tensor| tensor.layout().shape().clone()).collect();
    let shape = cat_shape(op, &shapes, dim).or_raise();
    for tensor in &tensors[1..] {
        check_same_type(op, &tensors[0], tensor);
    }
    let (dtype, device) = (tensors[0].element_type(), tensors[0].on());
    let inputs: Vec<&CubeTensor> = tensors.iter().collect();
    let joined = CubeTensor::empty(op, &inputs, shape.clone(), dtype, device);
    let Some(client) = joined.client() else { return joined };
    let mut taken: Vec<SliceIndices> = shape.iter().map(|&extent| Slice::FULL.resolve(extent)).collect();
    let mut first = 0;
    for tensor in tensors.iter().filter(|tensor| tensor.layout().num_elements() > 0) {
        let len = tensor.layout().shape()[dim];
        taken[dim] = SliceIndices { first, step: 1, len };
        write(client, tensor, &joined, &Layout::contiguous(shape.clone()).slice(&taken));
        first += len;
    }
    joined
}

/// Writes `x`, broadcast, to the elements of the contiguous tensor `y` that `target` places.
fn write(client: &Client, x: &CubeTensor, y: &CubeTensor, target: &Layout) {
    let walk = Walk::new(target.shape(), [x.layout(), target]);
    let (count, dim) = grid(client, target.num_elements());
    // SAFETY: every element of a layout lies inside its storage, and the kernel stops at the end of `target`.
    unsafe {
        write_kernel::launch_unchecked(
            client,
            count,
            dim,
            x.whole(),
            y.buffer(),
            target.num_elements() as u32,
            walk.extents(),
            walk.strides(0),
            walk.strides(1),
            elem_type(x.element_type()),
        );
    }
}
