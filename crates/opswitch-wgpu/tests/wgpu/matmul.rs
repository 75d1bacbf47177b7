//! Matrix products against the CPU.

use opswitch_core::{AnyTensor, Backend, DType, Shape, TensorData, TensorHandle, half::f16, ops::FloatOps};
use opswitch_wgpu::{Wgpu, WgpuTensor};

use crate::{
    agree::{VIEWS, assert_agree, both, view},
    common::{device_or_skip, tensor, values},
};

const SHAPES: &[(&[usize], &[usize])] = &[
    (&[1, 1], &[1, 1]),
    (&[2, 3], &[3, 4]),
    (&[17, 33], &[33, 65]),
    (&[64, 64], &[64, 64]),
    (&[70, 20], &[20, 130]),
    (&[3], &[3]),
    (&[3], &[3, 4]),
    (&[5, 3], &[3]),
    (&[40, 3], &[3, 2]),
    (&[3], &[2, 3, 4]),
    (&[2, 4, 3], &[3]),
    (&[2, 5, 3], &[2, 3, 4]),
    (&[2, 5, 3], &[3, 4]),
    (&[5, 1, 2, 3], &[7, 3, 4]),
    (&[5, 3], &[2, 2, 3, 4]),
    (&[3, 700], &[700, 5]),
    (&[2, 2, 1000], &[2, 1000, 3]),
    (&[5000], &[5000]),
    (&[2, 0], &[0, 3]),
    (&[0, 2], &[2, 3]),
    (&[0, 4, 2], &[2, 3]),
];

#[test]
fn products_agree_for_every_layout() {
    let device = device_or_skip!();
    for (left, right) in SHAPES {
        for number in VIEWS {
            // The layouts of both sides meet in all pairs over the shapes.
            let other = (number + left.len() + left[0]) % VIEWS.len();
            let products = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_matmul(view::<B>(number, left, place), view::<B>(other, right, place))));
            let tolerance = 1e-5 * (left[left.len() - 1] as f64).sqrt().max(1.0);
            assert_agree(
                &format!("view {number} of {left:?} by view {other} of {right:?}"),
                products,
                tolerance,
            );
        }
    }
}

#[test]
fn products_of_whole_numbers_are_exact() {
    let device = device_or_skip!();
    let (rows, depth, columns) = (130, 70, 90);
    let left: Vec<f32> = (0..rows * depth).map(|i| (i * 7 % 13) as f32 - 6.0).collect();
    let right: Vec<f32> = (0..depth * columns).map(|i| (i * 5 % 11) as f32 - 5.0).collect();
    let product = values::<f32>(Wgpu::float_matmul(
        tensor(left.clone(), [rows, depth], device),
        tensor(right.clone(), [depth, columns], device),
    ));
    for (row, elements) in product.chunks(columns).enumerate() {
        for (column, &element) in elements.iter().enumerate() {
            let expected: f32 = (0..depth).map(|k| left[row * depth + k] * right[k * columns + column]).sum();
            assert_eq!(element, expected, "[{row}, {column}]");
        }
    }
}

#[test]
fn what_is_beyond_the_end_does_not_leak_in() {
    let device = device_or_skip!();
    // The rows and columns that a tile repeats hold infinities here, and what stands between the slices is NaN.
    let storage: Vec<f32> = (0..20).map(|i| if i % 4 == 3 { f32::NAN } else { 1.0 }).collect();
    let x = tensor(storage, [5, 4], device);
    let x = Wgpu::float_slice(x, &[(..).into(), (..3).into()]);
    let y = Wgpu::float_full([3, 2].into(), 2.0, DType::F32, &device);
    assert_eq!(values::<f32>(Wgpu::float_matmul(x, y)), [6.0; 10]);
}

#[test]
fn nan_and_infinity_propagate() {
    let device = device_or_skip!();
    let x = tensor(vec![1.0, f32::NAN, f32::INFINITY, 1.0, 0.0, 2.0], [3, 2], device);
    let ones = Wgpu::float_ones([2, 1].into(), DType::F32, &device);
    let product = values::<f32>(Wgpu::float_matmul(x, ones));
    assert!(product[0].is_nan());
    assert_eq!(product[1..], [f32::INFINITY, 2.0]);
}

#[test]
fn misfits_name_both_shapes() {
    let device = device_or_skip!();
    let zeros = |shape: &[usize]| Wgpu::float_zeros(Shape::new(shape), DType::F32, &device);
    let (left, right) = (zeros(&[2, 3]), zeros(&[4, 3]));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Wgpu::float_matmul(left, right)));
    let text = *panic.unwrap_err().downcast::<String>().unwrap();
    assert!(text.starts_with("float_matmul: shapes [2, 3] and [4, 3] do not fit"), "{text}");
}

#[test]
fn halves_are_added_as_floats() {
    let device = device_or_skip!();
    if !Wgpu::supports(DType::F16, &device) {
        return;
    }
    for depth in [100, 3000] {
        let row = TensorData::new(vec![f16::from_f32(0.5); 2 * depth], [2, depth]).unwrap();
        let row = WgpuTensor::from_data(&row, device).unwrap();
        let column = Wgpu::float_transpose(row.clone());
        let product = Wgpu::float_matmul(row, column);
        assert_eq!(product.dtype(), DType::F16);
        assert_eq!(values::<f16>(product), [f16::from_f32(0.25 * depth as f32); 4]);
    }
}
