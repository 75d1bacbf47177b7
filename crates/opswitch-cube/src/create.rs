//! Tensors that are made from no other.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{DType, Shape};

use crate::{
    device::CubeDevice,
    element::elem_type,
    elementwise::{Computed, WIDTH},
    launch::grid,
    tensor::CubeTensor,
};

#[cube(launch_unchecked)]
fn fill_kernel<T: Numeric, C: Computed, N: Size>(
    y: &mut [Vector<T, N>],
    value: C,
    #[define(T)] _elem: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = Vector::new(T::cast_from(value));
    }
}

#[cube(launch_unchecked)]
fn arange_kernel<C: Computed>(y: &mut [C], start: C, step: C) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = start + step * C::cast_from(ABSOLUTE_POS);
    }
}

/// A tensor in which every element is `value`, converted to `dtype`.
#[track_caller]
pub(crate) fn full<C: Computed>(
    op: &'static str,
    shape: Shape,
    value: C,
    dtype: DType,
    device: CubeDevice,
) -> CubeTensor {
    CubeTensor::compute(op, [], shape, dtype, device, |client, y| {
        let (count, dim) = grid(client, y.layout().num_elements().div_ceil(WIDTH));
        // SAFETY: the kernel stops at the end of `y`.
        unsafe {
            fill_kernel::launch_unchecked::<C>(
                client,
                count,
                dim,
                WIDTH,
                y.lanes(WIDTH),
                value,
                elem_type(dtype),
            );
        }
    })
}

/// As [`full`], for an op whose result does not depend on the values of its inputs. It carries their failures all the same.
#[track_caller]
pub(crate) fn constant<const N: usize>(
    op: &'static str,
    inputs: [&CubeTensor; N],
    shape: Shape,
    value: f32,
    dtype: DType,
    device: CubeDevice,
) -> CubeTensor {
    if inputs.iter().any(|input| input.failure().is_some()) {
        return CubeTensor::empty(op, &inputs, shape, dtype, device);
    }
    full(op, shape, value, dtype, device)
}

/// The vector `start, start + step, ..` of `len` elements, wrapping around.
#[track_caller]
pub(crate) fn arange<C: Computed>(
    op: &'static str,
    len: usize,
    [start, step]: [C; 2],
    dtype: DType,
    device: CubeDevice,
) -> CubeTensor {
    CubeTensor::compute(op, [], [len].into(), dtype, device, |client, y| {
        let (count, dim) = grid(client, len);
        // SAFETY: the kernel stops at the end of `y`.
        unsafe { arange_kernel::launch_unchecked::<C>(client, count, dim, y.buffer(), start, step) };
    })
}
