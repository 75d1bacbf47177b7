//! Copies in row-major order.

use opswitch_core::DType;

use crate::{
    kernel::{Kernel, Values},
    launch::Launch,
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

// SAFETY: the kernel stops at the length of the result, and layouts stay inside their storage.
static COPY: Kernel = unsafe { Kernel::trusted("copy", include_str!("kernels/copy.wgsl")) };

/// The elements in a buffer of their own, in row-major order.
pub(crate) fn contiguous(op: &'static str, x: &WgpuTensor) -> WgpuTensor {
    let shape = x.layout().shape();
    let y = x.new_output(op, shape.clone(), x.element_type());
    let len = shape.num_elements();
    let loops = Loops::new(shape, [x.layout()]);
    let mut params = Words::from_slice(&[len as u32, loops.rank()]);
    loops.append_to(&mut params);
    let half = x.element_type() == DType::F16;
    Launch::new(op, &COPY)
        .variant(u64::from(half), &|| values(half))
        .storage(x)
        .output(&y)
        .params(&params)
        .dispatch_each(len, 256);
    y
}

/// The elements in row-major order from the start of memory that no other handle shares, so that a kernel may change them.
pub(crate) fn into_owned(op: &'static str, mut x: WgpuTensor) -> WgpuTensor {
    let is_whole = x.layout().is_contiguous() && x.layout().offset() == 0;
    if is_whole && x.is_unique() { x } else { contiguous(op, &x) }
}

/// Bits are copied, whatever they mean.
fn values(half: bool) -> Values {
    vec![("type", if half { "f16" } else { "u32" }.into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate;

    #[test]
    fn the_kernel_is_valid_for_every_size() {
        for half in [false, true] {
            validate(&COPY, &values(half));
        }
    }
}
