//! Choosing between the elements of two tensors.

use opswitch_core::{DType, OrRaise, check_same_type, shape::broadcast};

use super::{GROUP_SIZE, check_mask};
use crate::{
    kernel::{Kernel, Values},
    launch::Launch,
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

// SAFETY: the kernel stops at the length of the result, and layouts stay inside their storage.
static MASK_WHERE: Kernel =
    unsafe { Kernel::trusted("mask_where", include_str!("../kernels/mask_where.wgsl")) };

/// `value` where the mask is `true`, `x` elsewhere; all three broadcast.
#[track_caller]
pub(crate) fn mask_where(
    op: &'static str,
    x: &WgpuTensor,
    mask: &WgpuTensor,
    value: &WgpuTensor,
) -> WgpuTensor {
    check_same_type(op, x, value);
    check_mask(op, mask);
    let shape = broadcast(op, x.layout().shape(), mask.layout().shape()).or_raise();
    let shape = broadcast(op, &shape, value.layout().shape()).or_raise();
    let (len, dtype) = (shape.num_elements(), x.element_type());
    let loops = Loops::new(&shape, [x.layout(), mask.layout(), value.layout()]);
    let mut params = Words::from_slice(&[len as u32]);
    loops.append_to(&mut params);
    let y = x.new_output(op, shape, dtype);
    let is_half = dtype == DType::F16;
    Launch::new(op, &MASK_WHERE)
        .variant(u64::from(is_half), &|| values(is_half))
        .storage(x)
        .storage(mask)
        .storage(value)
        .output_storage(&y)
        .rank(loops.rank())
        .params(&params)
        .dispatch_each(len, GROUP_SIZE);
    y
}

/// Bits are copied, whatever they mean.
fn values(is_half: bool) -> Values {
    vec![("type", if is_half { "f16" } else { "u32" }.into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate_strided;

    #[test]
    fn the_kernel_is_valid_for_every_size() {
        validate_strided(&MASK_WHERE, &values(false));
        validate_strided(&MASK_WHERE, &values(true));
    }
}
