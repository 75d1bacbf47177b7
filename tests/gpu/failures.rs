//! Devices that fail: an error names device and op, tensors elsewhere are unharmed, and the process lives.

use std::sync::{Mutex, MutexGuard, PoisonError};

use opswitch::{Backend, DataError, DeviceError, Dispatch, DispatchDevice, Tensor, TensorData};
use opswitch_tests_gpu::gpu;
use opswitch_wgpu::{Wgpu, WgpuDevice};

/// One test breaks devices at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn device_error<const D: usize>(tensor: Tensor<D>) -> DeviceError {
    match tensor.into_data() {
        Err(DataError::Device(error)) => error,
        other => panic!("a device error is expected, but this is {other:?}"),
    }
}

/// Tensors of the device and of the others still compute.
fn assert_alive(devices: &[&DispatchDevice]) {
    for device in devices {
        let x = Tensor::<1>::from_floats([1.0, 2.0], device) + 1.0;
        assert_eq!(x.to_vec::<f32>().expect("it is unharmed"), [2.0, 3.0], "{device}");
    }
}

fn cpu() -> DispatchDevice {
    "cpu".parse().expect("the CPU is compiled in")
}

#[test]
fn too_large_for_a_buffer() {
    let _alone = alone();
    for backend in ["wgpu", "cube"] {
        let Some(device) = gpu(backend) else { continue };
        let small = Tensor::<1>::from_floats([1.0], &device);
        let huge = Tensor::<2>::zeros([1 << 20, 1 << 14], &device);
        // What follows carries the error of the first op, and does nothing.
        let error = device_error((huge + small.clone().unsqueeze()).exp());
        assert_eq!((error.device(), error.op()), (device.to_string().as_str(), Some("float_zeros")));
        assert_alive(&[&device, &cpu()]);
        assert_eq!(small.to_vec::<f32>().expect("it is unharmed"), [1.0]);
    }
}

#[test]
fn out_of_memory() {
    let _alone = alone();
    let Some(device) = gpu("wgpu") else { return };
    let x = Tensor::<1>::ones([1 << 16], &device);
    Wgpu::set_memory_limit(&WgpuDevice::default(), 1 << 18).expect("the device works");
    let failed = x.clone().exp();
    let error = device_error(failed.clone().sum());
    Wgpu::set_memory_limit(&WgpuDevice::default(), u64::MAX).expect("the device works");
    assert_eq!((error.device(), error.op()), (device.to_string().as_str(), Some("float_exp")));
    assert!(error.to_string().contains("out of memory"), "{error}");
    assert_alive(&[&device, &cpu()]);
    assert_eq!(x.sum().into_scalar::<f32>().expect("it is unharmed"), 65_536.0);
    assert_eq!(device_error(failed).op(), Some("float_exp"));
}

#[test]
fn a_failure_in_a_graph_is_found_where_the_gradient_is_read() {
    let _alone = alone();
    let Some(device) = gpu("wgpu") else { return };
    let x = Tensor::<1>::ones([1 << 16], &device.autodiff()).require_grad();
    Wgpu::set_memory_limit(&WgpuDevice::default(), 1 << 18).expect("the device works");
    let gradient = x.grad(&x.clone().exp().sum().backward()).expect("the sum depends on it");
    Wgpu::set_memory_limit(&WgpuDevice::default(), u64::MAX).expect("the device works");
    assert_eq!(device_error(gradient).device(), device.to_string());
    assert_alive(&[&device]);
}

#[test]
fn a_lost_device() {
    let _alone = alone();
    let Some(device) = gpu("wgpu") else { return };
    let elsewhere: Vec<_> = [Some(cpu()), gpu("cube")].into_iter().flatten().collect();
    let before: Vec<_> =
        elsewhere.iter().map(|device| Tensor::<1>::from_floats([4.0, 9.0], device)).collect();
    let x = Tensor::<1>::from_floats([1.0, 2.0], &device);
    Wgpu::lose_device(&WgpuDevice::default()).expect("it was there");
    let error = device_error(x.clone().exp());
    assert_eq!(error.device(), device.to_string());
    assert_eq!(error.op(), Some("float_exp"));
    let moved = Dispatch::float_to_device(x.into_primitive(), &cpu());
    assert!(matches!(moved, Err(DataError::Device(_))), "{moved:?}");
    for tensor in before {
        assert_eq!(tensor.sqrt().to_vec::<f32>().expect("it is unharmed"), [2.0, 3.0]);
    }
    // The device is opened anew for new tensors.
    assert_alive(&[&device, &cpu()]);
}

#[test]
fn an_adapter_that_is_not_there() {
    let _alone = alone();
    let device: DispatchDevice =
        "wgpu:40".parse().expect("adapters come and go: it is looked for when it is used");
    let data = TensorData::new(vec![1.0f32], [1]).expect("a vector");
    let error = Dispatch::float_from_data(data, &device).expect_err("there is no such adapter");
    assert!(error.to_string().starts_with("device `wgpu:40`: "), "{error}");
    assert!(Dispatch::sync(&device).is_err());
    let error = device_error(Tensor::<1>::zeros([3], &device) + 1.0);
    assert_eq!((error.device(), error.op()), ("wgpu:40", Some("float_zeros")));
    assert_alive(&[&cpu()]);
}
