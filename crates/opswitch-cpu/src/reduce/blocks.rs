//! Reductions as loops over slices.

use opswitch_core::{
    Element,
    layout::{Blocks, reduce_blocks},
};

use crate::tensor::CpuTensor;

/// Reduces `x` over `dims` by a kernel that sees row-major elements and makes one result for each outer and inner
/// position.
#[track_caller]
pub(super) fn reduce<E: Element, O: Element>(
    op: &'static str,
    x: CpuTensor,
    dims: &[usize],
    keep_dims: bool,
    kernel: impl FnOnce(&[E], Blocks) -> Vec<O>,
) -> CpuTensor {
    reduce_blocks(op, x, dims, keep_dims, |x, blocks| {
        CpuTensor::new(kernel(x.contiguous().row_major(), blocks), blocks.results())
    })
}
