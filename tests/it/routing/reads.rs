//! Many tensors read at once, and what devices say of themselves.

use opswitch::{AnyTensor, AutodiffOps, Backend, DataError, DeviceTable, TensorData};
use opswitch_tests::{TestDispatch, waits};

use super::{PLACES, bool, float, int};

fn read(tensors: Vec<AnyTensor<TestDispatch>>) -> Result<Vec<TensorData>, DataError> {
    TestDispatch::read_many_blocking(tensors)
}

#[test]
fn in_the_order_asked_with_one_wait_a_device() {
    let tracked = TestDispatch::require_grad(float(&[4.0], "autodiff(npu:1)")).expect("an autodiff device");
    let before = waits();
    let data = read(vec![
        AnyTensor::Float(float(&[1.0], "npu:0")),
        AnyTensor::Int(int(&[2, 3], "cpu")),
        AnyTensor::Float(tracked),
        AnyTensor::Bool(bool(&[true], "npu:0")),
        AnyTensor::Int(int(&[-5], "npu:1")),
        AnyTensor::Float(float(&[6.0], "autodiff(cpu)")),
    ]);
    let data = data.expect("nothing fails");
    let found: Vec<Vec<f64>> = data.iter().map(TensorData::to_vec).collect();
    assert_eq!(found, [vec![1.0], vec![2.0, 3.0], vec![4.0], vec![1.0], vec![-5.0], vec![6.0]]);
    let types: Vec<&str> = data.iter().map(|data| data.dtype().name()).collect();
    assert_eq!(types, ["f64", "i64", "f64", "bool", "i64", "f64"]);
    assert_eq!(waits() - before, 2);
}

#[test]
fn of_one_device_each_alone() {
    for place in PLACES {
        let data = read(vec![AnyTensor::Float(float(&[1.0, 2.0], place)), AnyTensor::Int(int(&[3], place))]);
        let found: Vec<Vec<f64>> = data.expect("nothing fails").iter().map(TensorData::to_vec).collect();
        assert_eq!(found, [vec![1.0, 2.0], vec![3.0]]);
    }
    assert_eq!(read(Vec::new()).expect("there is nothing to fail").len(), 0);
}

#[test]
fn the_device_table() {
    let table = DeviceTable::of::<TestDispatch>().to_string();
    let mut lines = table.lines();
    assert!(lines.next().is_some_and(|titles| titles.starts_with("device  kind  api   name")), "{table}");
    assert!(lines.next().is_some_and(|cpu| cpu.starts_with("cpu     CPU   -     ")), "{table}");
    let npu = "npu:0   -     Acme  Acme NPU, socket 0";
    assert!(lines.next().is_some_and(|line| line.starts_with(npu)), "{table}");
    let types = "f64 f32 f16 bf16 i64 i32 i16 i8 u32 u16 u8 bool";
    assert!(lines.next().is_some_and(|line| line.ends_with(types)), "{table}");
    assert_eq!(lines.next(), None);
}
