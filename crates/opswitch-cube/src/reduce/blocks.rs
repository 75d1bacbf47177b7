//! Reductions as kernels over row-major elements.

use opswitch_core::layout::{Blocks, StridedTensor, reduce_blocks};

use crate::tensor::CubeTensor;

/// Reduces `x` over `dims` by a kernel that gets row-major elements and gives the results in the shape [`Blocks::results`].
#[track_caller]
pub(super) fn over_dims(
    op: &'static str,
    x: CubeTensor,
    dims: &[usize],
    keep_dims: bool,
    kernel: impl FnOnce(CubeTensor, Blocks) -> CubeTensor,
) -> CubeTensor {
    reduce_blocks(op, x, dims, keep_dims, |x, blocks| kernel(x.into_contiguous(op), blocks))
}
