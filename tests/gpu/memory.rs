//! Nothing leaks: training holds the memory of a device flat.

use opswitch::{DispatchDevice, Int, Tensor, ops::CrossEntropy};
use opswitch_cube::CubeDevice;
use opswitch_tests_gpu::gpu;
use opswitch_wgpu::{Wgpu, WgpuDevice};

const STEPS: usize = 10_000;

/// Trains a small classifier, and checks that the counters stand where they stood after the first steps.
fn train(device: &DispatchDevice, memory: impl Fn() -> (u64, u64)) {
    let device = device.autodiff();
    let x = Tensor::<2>::from_floats([[1.0, 0.5], [0.5, -1.0], [-1.0, 0.0]], &device);
    let classes = Tensor::<1, Int>::from_ints([0, 1, 2], &device);
    let mut weight = Tensor::<2>::from_floats([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2]], &device).require_grad();
    let mut settled = None;
    let mut first_loss = None;
    for step in 0..STEPS {
        let loss = x.clone().matmul(weight.clone()).cross_entropy(classes.clone(), CrossEntropy::default());
        let gradient = weight.grad(&loss.backward()).expect("the loss depends on it");
        weight = (weight.detach() - gradient * 0.1).require_grad();
        // Reading waits for the device, so that the counters of both moments mean the same.
        if step % 1000 == 99 {
            let loss = loss.into_scalar::<f32>().expect("the device works");
            let first = *first_loss.get_or_insert(loss);
            let now = memory();
            let (in_use, reserved) = *settled.get_or_insert(now);
            assert!(loss <= first, "step {step}: the loss rose from {first} to {loss}");
            assert_eq!(now, (in_use, reserved), "bytes in use and reserved after {step} steps");
        }
    }
}

#[test]
fn of_wgpu() {
    let Some(device) = gpu("wgpu") else { return };
    train(&device, || {
        let memory = Wgpu::memory_usage(&WgpuDevice::default()).expect("the device works");
        (memory.bytes_in_use, memory.bytes_reserved)
    });
}

#[test]
fn of_cube() {
    let Some(device) = gpu("cube") else { return };
    train(&device, || {
        let memory = CubeDevice::default().memory().expect("the device works");
        (memory.in_use, memory.reserved)
    });
}
