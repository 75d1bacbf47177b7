//! Random elements. The kernel comes with the next commit.

use opswitch_core::{DType, Shape, ops::Distribution};

use crate::{device::WgpuDevice, reduce::missing, tensor::WgpuTensor};

pub(crate) fn random(
    op: &'static str,
    shape: Shape,
    _: Distribution,
    dtype: DType,
    device: WgpuDevice,
) -> WgpuTensor {
    missing(op, &WgpuTensor::new(op, device, shape, dtype))
}

pub(crate) fn seed(_seed: u64, _device: WgpuDevice) {}
