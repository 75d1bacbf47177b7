//! Devices, data in and out, and what failures look like.

use opswitch_core::{
    AnyTensor, Backend, DType, DataError, Slice, TensorData, TensorHandle,
    layout::movement::{expand, flip, permute, reshape, slice},
};
use opswitch_cube::{
    Cube, CubeDevice, CubeTensor,
    cubecl::{self, prelude::*},
    grid,
};

use crate::device;

fn floats(values: Vec<f32>, shape: &[usize], device: CubeDevice) -> CubeTensor {
    Cube::float_from_data(TensorData::new(values, shape).unwrap(), &device).unwrap()
}

fn values(x: CubeTensor) -> Vec<f32> {
    Cube::float_into_data_blocking(x).unwrap().to_vec()
}

#[cube(launch)]
fn double_kernel<F: Float>(x: &[F], y: &mut [F]) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[ABSOLUTE_POS] + x[ABSOLUTE_POS];
    }
}

fn double(x: CubeTensor) -> CubeTensor {
    let x = x.contiguous();
    CubeTensor::compute("double", [&x], x.shape(), x.dtype(), x.device(), |client, y| {
        let (count, dim) = grid(client, y.shape().num_elements());
        double_kernel::launch::<f32>(client, count, dim, x.buffer(), y.buffer());
    })
}

/// Asks for more shared memory than any device has, which is found when it is compiled.
#[cube(launch)]
fn greedy_kernel(y: &mut [f32]) {
    let mut shared = Shared::new_slice(1usize << 26);
    shared[UNIT_POS as usize] = 1.0f32;
    sync_cube();
    y[0] = shared[1];
}

fn greedy(device: CubeDevice) -> CubeTensor {
    CubeTensor::compute("greedy", [], [4].into(), DType::F32, device, |client, y| {
        greedy_kernel::launch(client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(4), y.buffer());
    })
}

#[test]
fn devices_are_written_as_they_are_read() {
    let Some(first) = device() else { return };
    for device in Cube::devices() {
        assert_eq!(device.to_string().parse::<CubeDevice>().unwrap(), device);
    }
    assert_eq!("cube".parse::<CubeDevice>().unwrap(), first);
    assert_eq!("cube:wgpu".parse::<CubeDevice>().unwrap(), first);
    assert_eq!("cube:wgpu:0".parse::<CubeDevice>().unwrap(), first);
    let info = Cube::device_info(&first);
    assert!(!info.name.is_empty() && info.api == "wgpu", "{info:?}");
}

#[test]
fn a_device_that_is_not_there_says_which_are() {
    let Some(_) = device() else { return };
    let text = |name: &str| name.parse::<CubeDevice>().unwrap_err().to_string();
    assert!(text("cube:99").contains("write one of `cube:0`"), "{}", text("cube:99"));
    assert!(text("cube:cuda:0").contains("enable the feature `cuda`"), "{}", text("cube:cuda:0"));
    assert!(text("cube:tpu").contains("write `wgpu`, `cuda` or `hip`"), "{}", text("cube:tpu"));
    for misspelt in ["cube:", "cube:0:0:0", "cuba", "cube:wgpu:one"] {
        assert!(misspelt.parse::<CubeDevice>().is_err(), "{misspelt}");
    }
}

/// Set in the process that is not to find a device.
const WITHOUT_DEVICES: &str = "OPSWITCH_CUBE_WITHOUT_DEVICES";

#[test]
fn a_machine_without_devices_fails_ops_and_says_what_to_install() {
    if std::env::var_os(WITHOUT_DEVICES).is_some() {
        return without_devices();
    }
    // Drivers are found once a process, and by files that these variables name.
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "runtime::a_machine_without_devices_fails_ops_and_says_what_to_install"]);
    child.env(WITHOUT_DEVICES, "1");
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES"] {
        child.env(variable, "/nonexistent");
    }
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn without_devices() {
    if !Cube::devices().is_empty() {
        println!("skipped: a device is found without a driver that could be hidden");
        return;
    }
    let nothing_there = "this machine has no device for the runtimes compiled in";
    assert!("cube".parse::<CubeDevice>().unwrap_err().reason().starts_with(nothing_there));
    let x = CubeTensor::compute("ones", [], [2].into(), DType::F32, CubeDevice::default(), |_, _| {
        panic!("there is no device to fill it on");
    });
    let error = double(x).failure().unwrap().clone();
    assert_eq!((error.device(), error.op()), ("cube:0", Some("ones")), "{error}");
    let data = TensorData::new(vec![1f32], [1]).unwrap();
    let error = Cube::float_from_data(data, &CubeDevice::default()).unwrap_err();
    assert!(error.to_string().contains(nothing_there), "{error}");
    assert!(Cube::sync(&CubeDevice::default()).is_err());
}

#[test]
fn data_comes_back_as_it_went_in() {
    let Some(device) = device() else { return };
    let floats = TensorData::new(vec![1.5f32, -0.0, f32::MIN_POSITIVE], [3]).unwrap();
    let ints = TensorData::new(vec![i32::MIN, -1, 0, 1, i32::MAX], [5, 1]).unwrap();
    let words = TensorData::new(vec![u32::MAX, 7], [2]).unwrap();
    let bools = TensorData::new(vec![true, false, true], [3]).unwrap();
    let tensors = vec![
        AnyTensor::Float(Cube::float_from_data(floats.clone(), &device).unwrap()),
        AnyTensor::Int(Cube::int_from_data(ints.clone(), &device).unwrap()),
        AnyTensor::Bool(Cube::bool_from_data(bools.clone(), &device).unwrap()),
        AnyTensor::Int(Cube::int_from_data(words.clone(), &device).unwrap()),
    ];
    let read = pollster::block_on(Cube::read_many(tensors)).unwrap();
    assert_eq!(read, [floats, ints, bools, words]);
}

#[test]
fn types_that_the_device_lacks_are_refused() {
    let Some(device) = device() else { return };
    let error = Cube::float_from_data(TensorData::new(vec![1f64], [1]).unwrap(), &device).unwrap_err();
    assert!(matches!(&error, DataError::UnsupportedOnDevice { dtype: DType::F64, elsewhere: "cpu", .. }));
    let error = Cube::int_from_data(TensorData::new(vec![1f32], [1]).unwrap(), &device).unwrap_err();
    assert!(matches!(error, DataError::Unsupported { kind: "int", dtype: DType::F32, .. }));
}

#[test]
fn views_are_read_in_row_major_order() {
    let Some(device) = device() else { return };
    let x = floats((0..24).map(|i| i as f32).collect(), &[2, 3, 4], device);
    let turned = permute("permute", x.clone(), &[2, 0, 1]);
    assert_eq!(values(turned)[..7], [0., 4., 8., 12., 16., 20., 1.]);
    let flipped = flip("flip", x.clone(), &[0, 2]);
    assert_eq!(values(flipped)[..5], [15., 14., 13., 12., 19.]);
    let part = slice("slice", x.clone(), &[Slice::from(1..), Slice::new(None, None, -2), Slice::from(1..3)]);
    assert_eq!(values(part), [21., 22., 13., 14.]);
    let row = slice("slice", reshape("reshape", x, [24].into()), &[Slice::from(5..7)]);
    let spread = expand("expand", row, [2, 2].into());
    assert_eq!(values(spread), [5., 6., 5., 6.]);
}

#[test]
fn a_kernel_of_ones_own_runs_on_views_too() {
    let Some(device) = device() else { return };
    let x = floats(vec![1., 2., 3., 4.], &[2, 2], device);
    assert_eq!(values(double(x.clone())), [2., 4., 6., 8.]);
    assert_eq!(values(double(permute("permute", x, &[1, 0]))), [2., 6., 4., 8.]);
}

#[test]
fn tensors_without_elements_need_no_device() {
    let Some(device) = device() else { return };
    let x = floats(vec![], &[0, 3], device);
    assert!(x.client().is_none());
    let y = double(x);
    assert!(y.client().is_none());
    assert_eq!(Cube::float_into_data_blocking(y).unwrap().shape().dims(), [0, 3]);
}

#[test]
fn a_grid_larger_than_one_dimension_is_folded() {
    let Some(device) = device() else { return };
    // One unit an element and 8 units a cube at least: more than 65,535 cubes.
    let len = (1 << 24) + 3;
    let x = floats(vec![1.0; len], &[len], device);
    let y = values(double(x));
    assert!(y.len() == len && y.iter().all(|&y| y == 2.0));
}

#[test]
fn a_kernel_that_does_not_compile_fails_its_tensor_alone() {
    let Some(device) = device() else { return };
    let healthy = floats(vec![1., 2.], &[2], device);
    let error = Cube::float_into_data_blocking(greedy(device)).unwrap_err();
    let DataError::Device(error) = error else { panic!("{error}") };
    assert_eq!((error.device(), error.op()), (device.to_string().as_str(), Some("greedy")), "{error}");
    assert!(!error.reason().contains("Backtrace"), "{error}");

    let after = Cube::float_into_data_blocking(double(greedy(device))).unwrap_err();
    assert!(after.to_string().contains("an op that it depends on failed"), "{after}");
    assert_eq!(values(double(healthy)), [2., 4.]);
}

#[test]
fn a_tensor_that_no_buffer_can_hold_fails_with_its_op() {
    let Some(device) = device() else { return };
    let huge = CubeTensor::compute("huge", [], [1 << 31].into(), DType::F32, device, |_, _| {
        panic!("there is no buffer to fill");
    });
    assert_eq!(huge.failure().unwrap().op(), Some("huge"));
    let after = double(huge);
    let DataError::Device(error) = Cube::float_into_data_blocking(after).unwrap_err() else { panic!() };
    assert_eq!(error.op(), Some("huge"));
    assert!(error.reason().contains("is too large"), "{error}");
    assert_eq!(values(double(floats(vec![3.], &[1], device))), [6.]);
}

#[test]
fn one_failure_among_many_tensors_is_the_one_that_is_told() {
    let Some(device) = device() else { return };
    let tensors = vec![AnyTensor::Float(floats(vec![1.], &[1], device)), AnyTensor::Float(greedy(device))];
    let error = pollster::block_on(Cube::read_many(tensors)).unwrap_err();
    assert!(error.to_string().contains("`greedy` failed"), "{error}");
}

#[test]
fn memory_of_dropped_tensors_is_used_again() {
    let Some(device) = device() else { return };
    let x = floats(vec![1.0; 1 << 20], &[1 << 20], device);
    let mut most = 0;
    for step in 0..600 {
        let y = double(x.clone());
        if step % 100 == 99 {
            assert_eq!(values(y)[0], 2.0);
            most = most.max(device.memory().unwrap().reserved);
        }
    }
    // 600 results of 4 MiB each; other tests share the device.
    assert!(most < 2 << 30, "{most} bytes are reserved");
    Cube::sync(&device).unwrap();
}
