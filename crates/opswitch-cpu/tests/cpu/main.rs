//! What the reference vectors do not cover: views, reuse of buffers, large and empty tensors, refusals, and the
//! random generator.

mod einsum;
mod numbers;
mod parallel;
mod random;
mod refusals;
mod reuse;
mod views;

use opswitch_core::{Backend, Element, Shape, TensorData, TensorHandle};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

fn tensor<E: Element>(values: impl Into<Vec<E>>, shape: impl Into<Shape>) -> CpuTensor {
    CpuTensor::from_data(TensorData::new(values.into(), shape).expect("as many values as the shape says"))
}

fn values<E: Element>(tensor: &CpuTensor) -> Vec<E> {
    tensor.clone().into_data().expect("tensors are readable").as_slice().expect("of this type").to_vec()
}

/// 0, 1, 2, .. in a shape.
fn counting(shape: impl Into<Shape>) -> CpuTensor {
    let shape = shape.into();
    tensor((0..shape.num_elements()).map(|i| i as f32).collect::<Vec<_>>(), shape)
}

#[test]
fn handles_are_two_words() {
    assert_eq!(size_of::<CpuTensor>(), 2 * size_of::<usize>());
    assert_eq!(size_of::<CpuDevice>(), 0);
}

#[test]
fn the_device_reads_what_it_writes() {
    assert_eq!(CpuDevice.to_string().parse(), Ok(CpuDevice));
    assert_eq!("cpu:0".parse(), Ok(CpuDevice));
    let text = "cpu:1".parse::<CpuDevice>().unwrap_err().to_string();
    assert_eq!(text, "device `cpu:1`: this backend has one device; write `cpu` or `cpu:0`");
}

#[test]
fn kinds_take_their_own_element_types() {
    let ints = || TensorData::new(vec![1i32, 2], [2]).unwrap();
    let error = Cpu::float_from_data(ints(), &CpuDevice).unwrap_err();
    assert_eq!(error.to_string(), "cpu has no float tensors of type i32");
    let tensor = Cpu::int_from_data(ints(), &CpuDevice).unwrap();
    assert_eq!(tensor.shape(), Shape::from([2]));
    assert_eq!(Cpu::int_into_data_blocking(tensor), Ok(ints()));
    assert!(Cpu::bool_from_data(ints(), &CpuDevice).is_err());
}
