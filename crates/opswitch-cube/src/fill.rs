//! Tensors of one value.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{DType, Shape};

use crate::{device::CubeDevice, element::elem_type, launch::grid, tensor::CubeTensor};

#[cube(launch_unchecked)]
fn fill_kernel<T: Numeric>(y: &mut [T], value: f32, #[define(T)] _elem: ElemType) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = T::cast_from(value);
    }
}

/// A tensor of `value` in place of what an op would compute from `inputs`, any failure of which it carries.
#[track_caller]
pub(crate) fn full(
    op: &'static str,
    inputs: &[&CubeTensor],
    shape: Shape,
    value: f64,
    dtype: DType,
    device: CubeDevice,
) -> CubeTensor {
    let y = CubeTensor::empty(op, inputs, shape, dtype, device);
    if let Some(client) = y.client() {
        let (count, dim) = grid(client, y.layout().num_elements());
        // SAFETY: the kernel stops at the end of `y`.
        unsafe {
            fill_kernel::launch_unchecked(client, count, dim, y.buffer(), value as f32, elem_type(dtype))
        };
    }
    y
}
