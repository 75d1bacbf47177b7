//! Reductions as kernels over row-major elements.

use opswitch_core::layout::{Blocks, reduce_blocks};

use crate::tensor::WgpuTensor;

/// Reduces `x` over `dims` by a kernel that sees it in row-major order, at any offset, and gives one result for each outer
/// and inner position.
#[track_caller]
pub(super) fn reduce(
    op: &'static str,
    x: &WgpuTensor,
    dims: &[usize],
    keep_dims: bool,
    kernel: impl FnOnce(&WgpuTensor, Blocks) -> WgpuTensor,
) -> WgpuTensor {
    reduce_blocks(op, x.clone(), dims, keep_dims, |x, blocks| {
        let x = if x.layout().is_contiguous() { x } else { x.contiguous(op) };
        kernel(&x, blocks)
    })
}
