//! Reductions. Their kernels come with the next commit; until then they fail as an op does that the device cannot do.
#![allow(unused_variables, reason = "the kernels are not here yet")]

use opswitch_core::DeviceError;

use crate::{device::WgpuDevice, tensor::WgpuTensor};

/// Which element a reduction looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Greatest,
    Least,
}

pub(crate) fn missing(op: &'static str, x: &WgpuTensor) -> WgpuTensor {
    let error = DeviceError::new(WgpuDevice::default(), "there is no kernel for it").at_op(op);
    let tensor = x.new_output(op, x.layout().shape().clone(), x.element_type());
    tensor.fail(error);
    tensor
}

pub(crate) fn sum(op: &'static str, x: &WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn mean(op: &'static str, x: &WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn any(op: &'static str, x: &WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn all(op: &'static str, x: &WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn log_sum_exp(op: &'static str, x: &WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn extreme(
    op: &'static str,
    extreme: Extreme,
    x: &WgpuTensor,
    dims: &[usize],
    keep_dims: bool,
) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn arg_reduce(
    op: &'static str,
    extreme: Extreme,
    x: &WgpuTensor,
    dim: usize,
    keep_dims: bool,
) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn reduce_with_index(
    op: &'static str,
    extreme: Extreme,
    x: &WgpuTensor,
    dim: usize,
    keep_dims: bool,
) -> (WgpuTensor, WgpuTensor) {
    (missing(op, x), missing(op, x))
}
pub(crate) fn softmax(op: &'static str, x: &WgpuTensor, dim: usize) -> WgpuTensor {
    missing(op, x)
}
pub(crate) fn log_softmax(op: &'static str, x: &WgpuTensor, dim: usize) -> WgpuTensor {
    missing(op, x)
}
