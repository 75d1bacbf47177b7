//! Tensors that move between the CPU and GPUs, and gradients that come back.

use opswitch::{
    Bool, DType, DispatchDevice, DispatchDeviceHandle, Int, QuantBits, QuantLevel, QuantMode, QuantScheme,
    Tensor, TensorData,
};
use opswitch_tests_gpu::panic_text;

use super::{device, devices};

/// Every ordered pair of devices, and of a device with itself.
fn pairs() -> Vec<(DispatchDevice, DispatchDevice)> {
    let devices = devices();
    devices.iter().flat_map(|from| devices.iter().map(move |to| (from.clone(), to.clone()))).collect()
}

#[test]
fn every_kind_between_every_pair() {
    for (from, to) in pairs() {
        let floats = Tensor::<2>::from_floats([[1.5, -0.0], [f32::INFINITY, 3.0]], &from).to_device(&to);
        assert_eq!(floats.device(), to);
        let bits = floats.to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert_eq!(bits, [1.5, -0.0, f32::INFINITY, 3.0].map(f32::to_bits), "{from} to {to}");

        let ints = Tensor::<1, Int>::from_values(vec![i32::MIN, -1, i32::MAX], [3], &from).to_device(&to);
        assert_eq!((ints.device(), ints.dtype()), (to.clone(), DType::I32));
        assert_eq!(ints.to_vec::<i32>().unwrap(), [i32::MIN, -1, i32::MAX], "{from} to {to}");

        let words = Tensor::<1, Int>::from_values(vec![0, u32::MAX], [2], &from).to_device(&to);
        assert_eq!(words.to_vec::<u32>().unwrap(), [0, u32::MAX], "{from} to {to}");

        let bools = Tensor::<1, Bool>::from_bools([true, false, true], &from).to_device(&to);
        assert_eq!(bools.device(), to);
        assert_eq!(bools.to_vec::<bool>().unwrap(), [true, false, true], "{from} to {to}");
    }
}

#[test]
fn codes_with_their_scales_between_every_pair() {
    let numbers =
        [[0.5, -1.0, 2.0, 3.5, -0.25, 0.0, 7.0, 1.5], [4.0, -4.0, 0.125, 2.5, 8.0, 1.0, -1.0, 0.75]];
    for (from, to) in pairs() {
        for level in [QuantLevel::Tensor, QuantLevel::Channel { axis: 1 }, QuantLevel::Block { size: 4 }] {
            for (mode, bits) in [(QuantMode::Affine, QuantBits::Q8), (QuantMode::Symmetric, QuantBits::Q4)] {
                let scheme = QuantScheme::new(mode, bits, level);
                let q = Tensor::<2>::from_floats(numbers, &from).quantize_dynamic(scheme);
                let codes = q.clone().codes().to_vec::<i64>().unwrap();
                let moved = q.clone().to_device(&to);
                assert_eq!((moved.device(), moved.scheme()), (to.clone(), scheme));
                assert_eq!(moved.clone().codes().to_vec::<i64>().unwrap(), codes, "{from} to {to}");
                let expected = q.dequantize().to_vec::<f32>().unwrap();
                assert_eq!(moved.dequantize().to_vec::<f32>().unwrap(), expected, "{from} to {to}");
            }
        }
    }
}

#[test]
fn views_and_empty_tensors() {
    for (from, to) in pairs() {
        let matrix = Tensor::<2>::from_floats([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &from);
        let moved = matrix.clone().transpose().slice(1..).to_device(&to);
        assert_eq!(moved.to_vec::<f32>().unwrap(), [2.0, 5.0, 3.0, 6.0], "{from} to {to}");
        let empty = matrix.slice(2..).to_device(&to);
        assert_eq!((empty.shape(), empty.to_vec::<f32>().unwrap()), ([0, 3], Vec::new()), "{from} to {to}");
    }
}

#[test]
fn a_gradient_comes_back() {
    for (from, to) in pairs() {
        let x = Tensor::<1>::from_floats([1.0, -2.0, 3.0], &from.autodiff()).require_grad();
        let moved = x.clone().to_device(&to);
        assert_eq!(moved.device(), to.autodiff());
        let loss = (moved.clone() * moved.square()).sum();
        let gradient = x.grad(&loss.backward()).expect("the loss depends on it");
        assert_eq!(gradient.device().inner(), from);
        // d/dx x^3 = 3 x^2
        assert_eq!(gradient.to_vec::<f32>().unwrap(), [3.0, 12.0, 27.0], "{from} to {to}");
    }
}

#[test]
fn there_and_back_through_every_device() {
    let x = Tensor::<1>::from_floats([1.0, 2.0], &device("autodiff(cpu)")).require_grad();
    let mut y = x.clone();
    for device in devices() {
        y = y.to_device(&device.autodiff()) * 2.0;
    }
    let loss = y.to_device(&device("autodiff(cpu)")).sum();
    let expected = 2f32.powi(devices().len() as i32);
    let gradient = x.grad(&loss.backward()).expect("the loss depends on it");
    assert_eq!(gradient.to_vec::<f32>().unwrap(), [expected; 2]);
}

#[test]
fn ints_of_64_bits_fit_or_are_refused() {
    let ints = |value: i64| Tensor::<1, Int>::from_ints([value], &device("cpu"));
    for to in devices().into_iter().filter(|device| device.backend_name() != "cpu") {
        let moved = ints(-7).to_device(&to);
        assert_eq!((moved.dtype(), moved.to_vec::<i64>().unwrap()), (DType::I32, vec![-7]));
        let refused = panic_text(|| ints(1 << 40).to_device(&to));
        assert_eq!(refused, "element 0 is 1099511627776, which i32 cannot hold");
    }
}

#[test]
fn a_type_that_a_device_lacks_is_refused_with_one_that_has_it() {
    for to in devices().into_iter().filter(|device| device.backend_name() != "cpu") {
        let data = || TensorData::new(vec![0.1f64], [1]).expect("a vector");
        let refused = panic_text(|| Tensor::<1>::from_data(data(), &to));
        assert_eq!(
            refused,
            format!("`{to}` has no elements of type f64; cast the data, or use `cpu`, which has them")
        );
        let refused = panic_text(|| Tensor::<1>::from_floats([0.5], &to).cast(DType::F64));
        assert!(refused.starts_with(&format!("float_cast: `{to}` has no elements of type f64")), "{refused}");
    }
}

#[test]
fn tensors_of_two_backends_do_not_meet() {
    for (first, second) in pairs().into_iter().filter(|(first, second)| first != second) {
        let on = |device| Tensor::<1>::from_floats([1.0], device);
        let text = panic_text(|| on(&first) + on(&second));
        let expected = format!("Tensor is on the wrong backend (expected {}).", first.backend_name());
        assert!(text.starts_with(&expected), "{text}");
        assert!(text.contains(&second.to_string()), "{text}");
    }
}
