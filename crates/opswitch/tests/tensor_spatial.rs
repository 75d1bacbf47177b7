//! Convolution, pooling and resampling of the tensor type, against closed forms.
#![cfg(feature = "cpu")]

mod tensor_support;

use opswitch::{
    Float, Int,
    ops::{AvgPoolOptions, ConvOptions, ConvTransposeOptions, InterpolateMode, MaxPoolOptions},
};
use opswitch_cpu::{Cpu, CpuDevice};
use tensor_support::panic_text;

type Tensor<const D: usize, K = Float> = opswitch::Tensor<D, K, Cpu>;

const CPU: &CpuDevice = &CpuDevice;

/// 0, 1, .. in this shape.
fn counting<const D: usize>(shape: [usize; D]) -> Tensor<D> {
    let count = shape.iter().product::<usize>() as i64;
    Tensor::<1, Int>::arange(0..count, CPU).float().reshape(shape)
}

fn values<const D: usize>(x: Tensor<D>) -> Vec<f64> {
    x.to_vec().unwrap()
}

/// A kernel with a 1 in one place moves the input by as much, and the bias is added.
#[test]
fn a_kernel_with_one_element_moves() {
    let mut kernel = vec![0.0f32; 9];
    kernel[5] = 1.0;
    let weight = Tensor::<4>::from_values(kernel, [1, 1, 3, 3], CPU);
    let options = ConvOptions { padding: [1, 1], ..ConvOptions::default() };
    let bias = Tensor::<1>::full([1], 10.0, CPU);
    let y = counting([1, 1, 2, 3]).conv2d(weight.clone(), Some(bias), options);
    assert_eq!(values(y), [11.0, 12.0, 10.0, 14.0, 15.0, 10.0]);
    let options = ConvTransposeOptions { padding: [1, 1], ..ConvTransposeOptions::default() };
    let back = counting([1, 1, 2, 3]).conv_transpose2d(weight, None, options);
    assert_eq!(values(back), [0.0, 0.0, 1.0, 0.0, 3.0, 4.0]);
}

/// Ones count the elements that windows have inside the input, and the windows that elements lie in.
#[test]
fn ones_count() {
    let x = Tensor::<3>::ones([1, 2, 4], CPU);
    let weight = Tensor::<3>::ones([3, 2, 3], CPU);
    let options = ConvOptions { padding: [1], ..ConvOptions::default() };
    let y = x.conv1d(weight, None, options);
    assert_eq!(y.shape(), [1, 3, 4]);
    assert_eq!(values(y)[..4], [4.0, 6.0, 6.0, 4.0]);
    let options =
        ConvTransposeOptions { stride: [2], output_padding: [1], ..ConvTransposeOptions::default() };
    let back =
        Tensor::<3>::ones([1, 1, 3], CPU).conv_transpose1d(Tensor::ones([1, 1, 3], CPU), None, options);
    assert_eq!(values(back), [1.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0, 0.0]);
    let cube = Tensor::<5>::ones([1, 1, 2, 2, 2], CPU);
    let y =
        cube.clone().conv3d(cube.clone(), None, ConvOptions { padding: [1, 0, 0], ..ConvOptions::default() });
    assert_eq!(values(y), [4.0, 8.0, 4.0]);
    let back =
        cube.conv_transpose3d(Tensor::ones([1, 1, 2, 1, 1], CPU), None, ConvTransposeOptions::default());
    assert_eq!(back.shape(), [1, 1, 3, 2, 2]);
    assert_eq!(values(back.sum()), [16.0]);
}

#[test]
fn pools_take_the_greatest_and_the_mean() {
    let x = counting([1, 1, 4, 4]);
    let (values_of, indices) = x.clone().max_pool2d_with_indices(MaxPoolOptions::new([2, 2]));
    assert_eq!(values(values_of), [5.0, 7.0, 13.0, 15.0]);
    assert_eq!(indices.to_vec::<i64>().unwrap(), [5, 7, 13, 15]);
    assert_eq!(values(x.clone().avg_pool2d(AvgPoolOptions::new([2, 2]))), [2.5, 4.5, 10.5, 12.5]);
    assert_eq!(values(x.clone().adaptive_avg_pool2d([1, 2])), [6.5, 8.5]);
    let line = counting([1, 1, 5]);
    let ceil = MaxPoolOptions { ceil_mode: true, ..MaxPoolOptions::new([2]) };
    assert_eq!(values(line.clone().max_pool1d(ceil)), [1.0, 3.0, 4.0]);
    let (_, indices) = line.clone().max_pool1d_with_indices(ceil);
    assert_eq!(indices.to_vec::<i64>().unwrap(), [1, 3, 4]);
    let ceil = AvgPoolOptions { ceil_mode: true, ..AvgPoolOptions::new([2]) };
    assert_eq!(values(line.clone().avg_pool1d(ceil)), [0.5, 2.5, 4.0]);
    assert_eq!(values(line.adaptive_avg_pool1d(2)), [1.0, 3.0]);
}

/// A line stays a line between the centres, and an infinity outside a window is not seen.
#[test]
fn resampling_keeps_lines() {
    let line = counting([1, 1, 1, 4]);
    let y = line.clone().interpolate([1, 7], InterpolateMode::Bilinear, true);
    assert_eq!(values(y), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
    let y = line.clone().interpolate([2, 2], InterpolateMode::Nearest, false);
    assert_eq!(values(y), [0.0, 2.0, 0.0, 2.0]);
    let y = values(line.interpolate([1, 7], InterpolateMode::Bicubic, true));
    // Old elements stay as they are, and half-way between two the weights are symmetric.
    assert_eq!((y[0], y[2], y[3], y[4], y[6]), (0.0, 1.0, 1.5, 2.0, 3.0));
    let x = Tensor::<3>::from_values(vec![1.0f32, 2.0, f32::INFINITY], [1, 1, 3], CPU);
    assert_eq!(values(x.adaptive_avg_pool1d(2)), [1.5, f64::INFINITY]);
}

#[test]
fn misuses_are_refused_at_the_callers_line() {
    let text = panic_text(|| counting([1, 2, 3]).conv1d(counting([1, 1, 2]), None, ConvOptions::default()));
    assert!(text.starts_with("conv1d: shapes [1, 2, 3] and [1, 1, 2] do not fit"), "{text}");
    let text = panic_text(|| counting([1, 1, 2, 2]).max_pool2d(MaxPoolOptions::new([3, 3])));
    assert!(text.starts_with("max_pool2d: shapes [1, 1, 2, 2] and [3, 3] do not fit"), "{text}");
}
