//! Joining and overwriting parts.

use opswitch_core::{
    DType, OrRaise, Shape, Slice, SliceIndices, check_same_type,
    layout::Layout,
    resolve_slices,
    shape::{cat as cat_shape, check_expand},
};

use crate::{
    copy,
    kernel::Kernel,
    launch::Launch,
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

// SAFETY: both places come from layouts that stay inside their storage.
static ASSIGN: Kernel = unsafe { Kernel::trusted("assign", include_str!("kernels/assign.wgsl")) };

/// `x` with the elements that `slices` take replaced by those of `value`, which broadcasts to them.
#[track_caller]
pub(crate) fn slice_assign(
    op: &'static str,
    x: WgpuTensor,
    slices: &[Slice],
    value: &WgpuTensor,
) -> WgpuTensor {
    let shape = x.layout().shape().clone();
    let taken = resolve_slices(op, &shape, slices).or_raise();
    let target = Layout::contiguous(shape).slice(&taken);
    check_expand(op, value.layout().shape(), target.shape()).or_raise();
    check_same_type(op, &x, value);
    let y = copy::into_owned(op, x);
    assign(op, &y, &target, value);
    y
}

/// The tensors joined along `dim`.
#[track_caller]
pub(crate) fn cat(op: &'static str, tensors: &[WgpuTensor], dim: usize) -> WgpuTensor {
    let shapes: Vec<Shape> = tensors.iter().map(|tensor| tensor.layout().shape().clone()).collect();
    let shape = cat_shape(op, &shapes, dim).or_raise();
    for tensor in &tensors[1..] {
        check_same_type(op, &tensors[0], tensor);
    }
    let y = tensors[0].new_output(op, shape.clone(), tensors[0].element_type());
    let mut taken: Vec<SliceIndices> =
        shape.iter().map(|&len| SliceIndices { first: 0, step: 1, len }).collect();
    for tensor in tensors {
        taken[dim].len = tensor.layout().shape()[dim];
        assign(op, &y, &y.layout().slice(&taken), tensor);
        taken[dim].first += taken[dim].len;
    }
    y
}

/// Writes `value`, which broadcasts to `target`, into the part of `y` that `target` is.
fn assign(op: &'static str, y: &WgpuTensor, target: &Layout, value: &WgpuTensor) {
    let len = target.num_elements();
    let loops = Loops::new(target.shape(), [target, value.layout()]);
    // Beyond the end of a part may be another.
    let whole = loops.vectors().filter(|vectors| len.is_multiple_of(4) && !vectors.is_still[1]);
    let (loops, is_vector) = match whole {
        Some(vectors) => (vectors.loops, true),
        None => (loops, false),
    };
    let steps = loops.steps();
    let mut params = Words::from_slice(&[steps as u32]);
    loops.append_to(&mut params);
    let is_half = value.element_type() == DType::F16;
    Launch::new(op, &ASSIGN)
        .variant(copy::variant(is_half, is_vector), &|| copy::values(is_half, is_vector))
        .storage(value)
        .output_storage(y)
        .rank(loops.rank())
        .params(&params)
        .dispatch_each(steps, 256);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate_strided;

    #[test]
    fn the_kernel_is_valid_for_every_size() {
        for is_half in [false, true] {
            validate_strided(&ASSIGN, &copy::values(is_half, false));
            validate_strided(&ASSIGN, &copy::values(is_half, true));
        }
    }
}
