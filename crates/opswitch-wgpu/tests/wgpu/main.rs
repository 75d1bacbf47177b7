//! What the runtime promises: reads, launches, memory and failures. Without an adapter each test is skipped.

mod launch;
mod numbers;
mod reads;

use opswitch_core::{Backend, Element, Shape, TensorData};
use opswitch_wgpu::{Wgpu, WgpuDevice, WgpuTensor};

/// The first adapter, or `None` where the test is to be skipped.
fn device() -> Option<WgpuDevice> {
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
        match crate::device() {
            Some(device) => device,
            None => return,
        }
    };
}
use device_or_skip;

fn tensor<E: Element>(values: impl Into<Vec<E>>, shape: impl Into<Shape>, device: WgpuDevice) -> WgpuTensor {
    let data = TensorData::new(values.into(), shape).expect("as many values as the shape says");
    WgpuTensor::from_data(&data, device).expect("the device works")
}

fn values<E: Element>(tensor: WgpuTensor) -> Vec<E> {
    tensor.into_data().expect("the device works").as_slice().expect("of this type").to_vec()
}

#[test]
fn handles_are_two_words() {
    assert_eq!(size_of::<WgpuTensor>(), 2 * size_of::<usize>());
    assert!(size_of::<WgpuDevice>() <= size_of::<usize>());
}

#[test]
fn devices_read_what_they_write() {
    for device in Wgpu::devices() {
        assert_eq!(device.to_string().parse(), Ok(device));
        let info = Wgpu::adapter_info(&device).unwrap();
        assert!(!info.name.is_empty() && !info.backend.is_empty(), "{info:?}");
    }
    let text = "wgpu:x".parse::<WgpuDevice>().unwrap_err().to_string();
    assert_eq!(
        text,
        "device `wgpu:x`: not a device of this backend; write `wgpu`, or `wgpu:1` for the second adapter"
    );
}
