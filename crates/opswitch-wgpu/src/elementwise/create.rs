//! Tensors made of nothing.

use opswitch_core::{DType, Shape, half::f16};

use super::GROUP_SIZE;
use crate::{device::WgpuDevice, kernel::Kernel, launch::Launch, tensor::WgpuTensor};

// SAFETY: the kernel stops at the number of vectors, to which buffers are padded.
static FILL: Kernel = unsafe { Kernel::trusted("fill", include_str!("../kernels/fill.wgsl")) };

// SAFETY: the kernel stops at the length of the result.
static ARANGE: Kernel = unsafe { Kernel::trusted("arange", include_str!("../kernels/arange.wgsl")) };

/// Words that the kernel writes at a time.
const VECTOR: usize = 4;

/// A tensor in which every element has these bits.
#[track_caller]
pub(crate) fn full(
    op: &'static str,
    shape: Shape,
    bits: u32,
    dtype: DType,
    device: WgpuDevice,
) -> WgpuTensor {
    fill(op, WgpuTensor::new(op, device, shape, dtype), bits)
}

/// A new tensor, with these bits written to every element.
pub(crate) fn fill(op: &'static str, y: WgpuTensor, bits: u32) -> WgpuTensor {
    let len = y.layout().num_elements();
    let is_half = y.element_type() == DType::F16;
    let word = if is_half { bits | (bits << 16) } else { bits };
    let words = if is_half { len.div_ceil(2) } else { len };
    let vectors = words.div_ceil(VECTOR);
    Launch::new(op, &FILL)
        .output_storage(&y)
        .params(&[vectors as u32, word])
        .dispatch_each(vectors, GROUP_SIZE);
    y
}

/// The bits of a float of this type.
pub(crate) fn float_bits(value: f64, dtype: DType) -> u32 {
    match dtype {
        DType::F16 => u32::from(f16::from_f64(value).to_bits()),
        _ => (value as f32).to_bits(),
    }
}

/// `start + i * step` for `len` indices, modulo the element type.
#[track_caller]
pub(crate) fn arange(
    op: &'static str,
    len: usize,
    [start, step]: [i64; 2],
    dtype: DType,
    device: WgpuDevice,
) -> WgpuTensor {
    let y = WgpuTensor::new(op, device, [len].into(), dtype);
    Launch::new(op, &ARANGE)
        .output(&y)
        .params(&[len as u32, start as u32, step as u32])
        .dispatch_each(len, GROUP_SIZE);
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate;

    #[test]
    fn the_kernels_are_valid() {
        validate(&FILL, &vec![]);
        validate(&ARANGE, &vec![]);
    }
}
