//! What both test programs need.

use opswitch_core::{Backend, Element, Shape, TensorData};
use opswitch_wgpu::{Wgpu, WgpuDevice, WgpuTensor};

/// The first adapter, or `None` where the test is to be skipped.
pub(crate) fn device() -> Option<WgpuDevice> {
    let device = Wgpu::devices().into_iter().next();
    if device.is_none() {
        assert!(std::env::var_os("OPSWITCH_REQUIRE_GPU").is_none(), "OPSWITCH_REQUIRE_GPU is set");
        println!("skipped: no Vulkan adapter; on Debian: apt-get install mesa-vulkan-drivers");
    }
    device
}

/// Leaves a test that has no device.
macro_rules! device_or_skip {
    () => {
        match crate::common::device() {
            Some(device) => device,
            None => return,
        }
    };
}
pub(crate) use device_or_skip;

pub(crate) fn tensor<E: Element>(
    values: impl Into<Vec<E>>,
    shape: impl Into<Shape>,
    device: WgpuDevice,
) -> WgpuTensor {
    let data = TensorData::new(values.into(), shape).expect("as many values as the shape says");
    WgpuTensor::from_data(&data, device).expect("the device works")
}

pub(crate) fn values<E: Element>(tensor: WgpuTensor) -> Vec<E> {
    tensor.into_data().expect("the device works").as_slice().expect("of this type").to_vec()
}
