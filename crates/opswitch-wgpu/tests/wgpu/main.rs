//! What the runtime promises: reads, launches, memory and failures. Without an adapter each test is skipped.

mod agree;
mod common;
mod index;
mod launch;
mod matmul;
mod memory;
mod numbers;
mod random;
mod reads;
mod reduce;

use opswitch_core::Backend;
use opswitch_wgpu::{Wgpu, WgpuDevice, WgpuTensor};

#[test]
fn handles_are_two_words() {
    assert_eq!(size_of::<WgpuTensor>(), 2 * size_of::<usize>());
    assert!(size_of::<WgpuDevice>() <= size_of::<usize>());
}

#[test]
fn devices_read_what_they_write() {
    for device in Wgpu::devices() {
        assert_eq!(device.to_string().parse(), Ok(device));
        let info = Wgpu::device_info(&device);
        assert!(!info.name.is_empty() && !info.api.is_empty(), "{info:?}");
    }
    let text = "wgpu:x".parse::<WgpuDevice>().unwrap_err().to_string();
    assert_eq!(
        text,
        "device `wgpu:x`: not a device of this backend; write `wgpu`, or `wgpu:1` for the second adapter"
    );
}
