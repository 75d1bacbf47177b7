//! Copies in row-major order.

use opswitch_core::DType;

use crate::{
    kernel::{Kernel, Values},
    launch::Launch,
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

// SAFETY: the kernel stops at the length of the result, layouts stay inside their storage, and buffers are padded to whole
// vectors.
static COPY: Kernel = unsafe { Kernel::trusted("copy", include_str!("kernels/copy.wgsl")) };

/// The elements in a buffer of their own, in row-major order.
pub(crate) fn contiguous(op: &'static str, x: &WgpuTensor) -> WgpuTensor {
    let shape = x.layout().shape();
    let y = x.new_output(op, shape.clone(), x.element_type());
    let loops = Loops::new(shape, [x.layout()]);
    let is_half = x.element_type() == DType::F16;
    let (loops, is_vector) = match loops.vectors() {
        Some(vectors) => (vectors.loops, true),
        None => (loops, false),
    };
    let steps = loops.steps();
    let mut params = Words::from_slice(&[steps as u32]);
    loops.append_to(&mut params);
    Launch::new(op, &COPY)
        .variant(variant(is_half, is_vector), &|| values(is_half, is_vector))
        .storage(x)
        .output_storage(&y)
        .rank(loops.rank())
        .params(&params)
        .dispatch_each(steps, 256);
    y
}

/// The elements in row-major order from the start of memory that no other handle shares, so that a kernel may change them.
pub(crate) fn into_owned(op: &'static str, mut x: WgpuTensor) -> WgpuTensor {
    let is_whole = x.layout().is_contiguous() && x.layout().offset() == 0;
    if is_whole && x.is_unique() { x } else { contiguous(op, &x) }
}

/// The number of a variant of a kernel that copies.
pub(crate) fn variant(is_half: bool, is_vector: bool) -> u64 {
    u64::from(is_half) | (u64::from(is_vector) << 1)
}

/// Bits are copied, whatever they mean.
pub(crate) fn values(is_half: bool, is_vector: bool) -> Values {
    let item = match (is_half, is_vector) {
        (false, false) => "u32",
        (false, true) => "vec4<u32>",
        (true, false) => "f16",
        (true, true) => "vec4<f16>",
    };
    vec![("item", item.into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate_strided;

    #[test]
    fn the_kernel_is_valid_for_every_size() {
        for is_half in [false, true] {
            validate_strided(&COPY, &values(is_half, false));
            validate_strided(&COPY, &values(is_half, true));
        }
    }
}
