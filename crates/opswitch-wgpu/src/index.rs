//! Indexing. The kernels come with the next commit.

use opswitch_core::DType;

use crate::{reduce::missing, tensor::WgpuTensor};

pub(crate) fn gather(op: &'static str, x: &WgpuTensor, _dim: usize, _index: &WgpuTensor) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn select(op: &'static str, x: &WgpuTensor, _dim: usize, _index: &WgpuTensor) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn scatter_add(
    op: &'static str,
    x: WgpuTensor,
    _dim: usize,
    _index: &WgpuTensor,
    _src: &WgpuTensor,
) -> WgpuTensor {
    missing(op, &x)
}
pub(crate) fn select_add(
    op: &'static str,
    x: WgpuTensor,
    _dim: usize,
    _index: &WgpuTensor,
    _src: &WgpuTensor,
) -> WgpuTensor {
    missing(op, &x)
}
pub(crate) fn one_hot(
    op: &'static str,
    index: &WgpuTensor,
    _num_classes: usize,
    _dtype: DType,
) -> WgpuTensor {
    missing(op, index)
}
