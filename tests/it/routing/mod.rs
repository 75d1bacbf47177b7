//! What a routed op may look like, and what a dispatch may look like, tried on every device.

#![allow(unreachable_pub, reason = "items are as a user's crate would have them")]

mod any_backend;
mod associated;
mod attributes;
mod containers;
mod coverage;
mod devices;
mod dispatches;
mod extension_types;
mod forms;
mod generics;
mod hygiene;
mod moves;
mod reads;

use opswitch::{Backend, BoolTensor, DispatchBackend, FloatTensor, IntTensor, TensorData, TensorHandle};
use opswitch_tests::{TestDispatch, TestDispatchDevice};

const PLACES: [&str; 6] = ["cpu", "npu:0", "npu:1", "autodiff(cpu)", "autodiff(npu:0)", "autodiff(npu:1)"];

fn device(text: &str) -> TestDispatchDevice {
    text.parse().expect("a device of the dispatch")
}

fn float_on<D: DispatchBackend>(values: &[f64], device: &D::Device) -> FloatTensor<D> {
    let data = TensorData::new(values.to_vec(), [values.len()]).expect("a vector");
    D::float_from_data(data, device).expect("every backend has f64")
}

fn float(values: &[f64], place: &str) -> FloatTensor<TestDispatch> {
    float_on::<TestDispatch>(values, &device(place))
}

fn int(values: &[i64], place: &str) -> IntTensor<TestDispatch> {
    let data = TensorData::new(values.to_vec(), [values.len()]).expect("a vector");
    TestDispatch::int_from_data(data, &device(place)).expect("every backend has i64")
}

fn bool(values: &[bool], place: &str) -> BoolTensor<TestDispatch> {
    let data = TensorData::new(values.to_vec(), [values.len()]).expect("a vector");
    TestDispatch::bool_from_data(data, &device(place)).expect("every backend has bool")
}

fn values<B: Backend>(tensor: FloatTensor<B>) -> Vec<f64> {
    B::float_into_data_blocking(tensor).expect("tensors are readable").to_vec()
}

fn ints<B: Backend>(tensor: IntTensor<B>) -> Vec<i64> {
    B::int_into_data_blocking(tensor).expect("tensors are readable").to_vec()
}

fn bools<B: Backend>(tensor: BoolTensor<B>) -> Vec<bool> {
    let data = B::bool_into_data_blocking(tensor).expect("tensors are readable");
    data.as_slice::<bool>().expect("boolean").to_vec()
}

/// Checks where a float tensor is and what it holds.
#[track_caller]
fn assert_float(tensor: FloatTensor<TestDispatch>, place: &str, expected: &[f64]) {
    assert_eq!(tensor.device().to_string(), place);
    assert_eq!(values::<TestDispatch>(tensor), expected);
}
