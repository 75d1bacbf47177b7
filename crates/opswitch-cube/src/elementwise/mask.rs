//! Choosing between elements by a mask.

use cubecl::{ir::ElemType, prelude::*, std::FastDivmod};
use opswitch_core::{DType, OpError, OrRaise, check_same_type, raise, shape::broadcast};

use super::Computed;
use crate::{
    element::elem_type,
    launch::grid,
    tensor::CubeTensor,
    walk::{Walk, position},
};

#[cube(launch_unchecked)]
fn mask_where_kernel<T: Numeric>(
    x: &[T],
    mask: &[u32],
    value: &[T],
    y: &mut [T],
    extents: Sequence<FastDivmod<u32>>,
    x_strides: Sequence<u32>,
    mask_strides: Sequence<u32>,
    value_strides: Sequence<u32>,
    #[define(T)] _elem: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let place = ABSOLUTE_POS as u32;
        let old = x[position(place, &extents, &x_strides)];
        let new = value[position(place, &extents, &value_strides)];
        y[ABSOLUTE_POS] = select(mask[position(place, &extents, &mask_strides)] != 0u32, new, old);
    }
}

#[cube(launch_unchecked)]
fn mask_fill_kernel<T: Numeric, C: Computed>(
    x: &[T],
    mask: &[u32],
    y: &mut [T],
    extents: Sequence<FastDivmod<u32>>,
    x_strides: Sequence<u32>,
    mask_strides: Sequence<u32>,
    value: C,
    #[define(T)] _elem: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let place = ABSOLUTE_POS as u32;
        let old = x[position(place, &extents, &x_strides)];
        let is_set = mask[position(place, &extents, &mask_strides)] != 0u32;
        y[ABSOLUTE_POS] = select(is_set, T::cast_from(value), old);
    }
}

/// `value` where the mask is `true`, `x` elsewhere; all three broadcast.
#[track_caller]
pub(crate) fn mask_where(op: &'static str, x: CubeTensor, mask: CubeTensor, value: CubeTensor) -> CubeTensor {
    check_same_type(op, &x, &value);
    check_mask(op, &mask);
    let shape = broadcast(op, x.layout().shape(), mask.layout().shape()).or_raise();
    let shape = broadcast(op, &shape, value.layout().shape()).or_raise();
    CubeTensor::compute(op, [&x, &mask, &value], shape, x.element_type(), x.on(), |client, y| {
        let walk = Walk::new(y.layout().shape(), [x.layout(), mask.layout(), value.layout()]);
        let (count, dim) = grid(client, y.layout().num_elements());
        // SAFETY: every element of a layout lies inside its storage, and the kernel stops at the end of `y`.
        unsafe {
            mask_where_kernel::launch_unchecked(
                client,
                count,
                dim,
                x.whole(),
                mask.whole(),
                value.whole(),
                y.buffer(),
                walk.extents(),
                walk.strides(0),
                walk.strides(1),
                walk.strides(2),
                elem_type(x.element_type()),
            );
        }
    })
}

/// `value` where the mask is `true`, `x` elsewhere; the mask broadcasts with `x`.
#[track_caller]
pub(crate) fn mask_fill<C: Computed>(
    op: &'static str,
    x: CubeTensor,
    mask: CubeTensor,
    value: C,
) -> CubeTensor {
    check_mask(op, &mask);
    let shape = broadcast(op, x.layout().shape(), mask.layout().shape()).or_raise();
    CubeTensor::compute(op, [&x, &mask], shape, x.element_type(), x.on(), |client, y| {
        let walk = Walk::new(y.layout().shape(), [x.layout(), mask.layout()]);
        let (count, dim) = grid(client, y.layout().num_elements());
        // SAFETY: every element of a layout lies inside its storage, and the kernel stops at the end of `y`.
        unsafe {
            mask_fill_kernel::launch_unchecked::<C>(
                client,
                count,
                dim,
                x.whole(),
                mask.whole(),
                y.buffer(),
                walk.extents(),
                walk.strides(0),
                walk.strides(1),
                value,
                elem_type(x.element_type()),
            );
        }
    })
}

#[track_caller]
fn check_mask(op: &'static str, mask: &CubeTensor) {
    let found = mask.element_type();
    if found != DType::Bool {
        raise(&OpError::Kind { op, expected: "bool for the mask", found });
    }
}
