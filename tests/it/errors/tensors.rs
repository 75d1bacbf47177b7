//! Tensors that are not where the op runs.

use opswitch::{
    AutodiffOps, BackwardError, BackwardOptions, DispatchBackend, DispatchError, FloatTensor, Gradients,
    OrRaise,
    ops::{CollectiveOps, ReduceOp},
};
use opswitch_tests::TestDispatch;

use super::{
    device, float, int,
    ops::{ProbeError, ProbeOps},
    panic_text,
};

/// Checks both forms of `sum` that return the error.
fn sum_fails(
    lhs: &FloatTensor<TestDispatch>,
    rhs: &FloatTensor<TestDispatch>,
    text: impl Fn(&str) -> String,
) {
    let error = TestDispatch::try_sum(lhs.clone(), rhs.clone()).unwrap_err();
    assert_eq!(error.to_string(), text("try_sum"));
    let ProbeError::Dispatch(error) = TestDispatch::checked_sum(lhs.clone(), rhs.clone()).unwrap_err() else {
        panic!("the error of a dispatch becomes `ProbeError::Dispatch`");
    };
    assert_eq!(error.to_string(), text("checked_sum"));
    assert_eq!(error.op(), Some("ProbeOps::checked_sum"));
}

#[test]
fn plain_tensor_on_another_backend() {
    let (lhs, rhs) = (float("npu:1"), float("cpu"));
    let text = |op: &str| {
        format!(
            "Tensor is on the wrong backend (expected npu).
  op:       ProbeOps::{op}
  argument: rhs
  expected: npu (device npu:1)
  found:    cpu (device cpu)
  help:     an op runs where its first tensor is; move this one there with `to_device`"
        )
    };
    sum_fails(&lhs, &rhs, text);
    assert_eq!(panic_text!(TestDispatch::sum(lhs, rhs)), text("sum"));
}

#[test]
fn tracked_float_on_another_backend() {
    let text = |op: &str| {
        format!(
            "Autodiff float tensor is on the wrong backend (expected cpu).
  op:       ProbeOps::{op}
  argument: rhs
  expected: cpu (device autodiff(cpu))
  found:    npu (device autodiff(npu:0))
  help:     an op runs where its first tensor is; move this one there with `to_device`"
        )
    };
    let rhs = float("autodiff(npu:0)");
    for lhs in [float("cpu"), float("autodiff(cpu)")] {
        sum_fails(&lhs, &rhs, text);
        assert_eq!(panic_text!(TestDispatch::sum(lhs, rhs.clone())), text("sum"));
    }
}

#[test]
fn plain_tensor_beside_a_tracked_one_of_another_backend() {
    let (lhs, rhs) = (float("autodiff(cpu)"), float("npu"));
    let text = |op: &str| {
        format!(
            "Tensor is on the wrong backend (expected cpu).
  op:       ProbeOps::{op}
  argument: rhs
  expected: cpu (device autodiff(cpu))
  found:    npu (device npu:0)
  help:     an op runs where its first tensor is; move this one there with `to_device`"
        )
    };
    sum_fails(&lhs, &rhs, text);
    assert_eq!(panic_text!(TestDispatch::sum(lhs, rhs)), text("sum"));
}

#[test]
fn another_device_of_the_same_backend() {
    let text = |op: &str| {
        format!(
            "Tensor is on the wrong device (expected npu:0).
  op:       ProbeOps::{op}
  argument: rhs
  expected: npu:0
  found:    npu:1
  help:     an op runs where its first tensor is; move this one there with `to_device`"
        )
    };
    for lhs in [float("npu:0"), float("autodiff(npu:0)")] {
        for rhs in [float("npu:1"), float("autodiff(npu:1)")] {
            sum_fails(&lhs, &rhs, text);
            assert_eq!(panic_text!(TestDispatch::sum(lhs.clone(), rhs)), text("sum"));
        }
    }
}

#[test]
fn errors_of_another_kind_leave_the_panic() {
    let text = panic_text!(TestDispatch::stubborn_sum(float("cpu"), float("npu")));
    assert!(text.starts_with("Tensor is on the wrong backend (expected cpu)."), "{text}");
    assert!(text.contains("ProbeOps::stubborn_sum"), "{text}");
    assert!(TestDispatch::stubborn_sum(float("cpu"), float("cpu")).is_ok());
}

#[test]
fn futures_return_the_error() {
    let result = pollster::block_on(TestDispatch::later_sum(float("npu:0"), float("npu:1")));
    let ProbeError::Dispatch(error) = result.unwrap_err() else {
        panic!("the error of a dispatch becomes `ProbeError::Dispatch`");
    };
    assert_eq!(error.op(), Some("ProbeOps::later_sum"));
    assert_eq!(error.argument(), Some("rhs"));
}

#[test]
fn no_tensor_and_no_device() {
    let text = |op: &str| {
        format!(
            "No tensor input to select a backend from.
  op:       ProbeOps::{op}
  help:     give at least one tensor, or add an argument of type `Device<Self>` to the op"
        )
    };
    assert_eq!(panic_text!(TestDispatch::count(None, vec![])), text("count"));
    assert_eq!(TestDispatch::try_count(None, vec![]).unwrap_err().to_string(), text("try_count"));
    let ProbeError::Dispatch(error) = TestDispatch::checked_count(None, vec![]).unwrap_err() else {
        panic!("the error of a dispatch becomes `ProbeError::Dispatch`");
    };
    assert_eq!(error.to_string(), text("checked_count"));
    assert_eq!(TestDispatch::count(None, vec![int("npu:1")]), 1);
}

#[test]
fn a_tensor_wrapped_twice() {
    let text = "Autodiff should not wrap an autodiff tensor.
  op:       from_inner
  argument: tensor
  expected: a tensor of a plain device
  found:    a tensor of autodiff(npu:1)
  help:     the tensor is on an autodiff device already; use it as it is";
    let tensor = float("autodiff(npu:1)");
    assert_eq!(panic_text!(TestDispatch::from_inner(tensor.clone()).or_raise()), text);
    assert_eq!(TestDispatch::from_inner(tensor).unwrap_err().to_string(), text);
}

#[test]
fn plain_where_tracked_is_needed() {
    let text = |op: &str| {
        format!(
            "Expected autodiff-wrapped float tensor for backend npu.
  op:       AutodiffOps::{op}
  argument: tensor
  expected: a tensor of autodiff(npu:1)
  found:    a tensor of npu:1
  help:     make the tensor on an autodiff device, as `device.autodiff()` gives it"
        )
    };
    let plain = || float("npu:1");
    let options = BackwardOptions::default();
    assert_eq!(TestDispatch::require_grad(plain()).unwrap_err().to_string(), text("require_grad"));
    let gradients = Gradients::default();
    assert_eq!(TestDispatch::gradient(&plain(), &gradients).unwrap_err().to_string(), text("gradient"));
    let BackwardError::Dispatch(error) = TestDispatch::backward(plain(), None, options).unwrap_err() else {
        panic!("the error of a dispatch becomes `BackwardError::Dispatch`");
    };
    assert_eq!(error.to_string(), text("backward"));
    assert_eq!(panic_text!(TestDispatch::backward(plain(), None, options).or_raise()), text("backward"));
    assert_eq!(panic_text!(TestDispatch::require_grad(plain()).or_raise()), text("require_grad"));
}

#[test]
fn collective_ops_where_there_are_none() {
    let text = |device: &str| {
        format!(
            "Distributed operations are not supported for device {device}.
  op:       CollectiveOps::all_reduce
  expected: a backend that implements this op
  found:    {device}
  help:     run it on a backend with collective ops; with a single device, leave the call out"
        )
    };
    let reduce = |place: &str| TestDispatch::all_reduce(float(place), &[device(place)], ReduceOp::Sum);
    for place in ["cpu", "autodiff(cpu)"] {
        let error: DispatchError = reduce(place).unwrap_err();
        assert_eq!(error.to_string(), text("cpu"));
    }
    assert_eq!(panic_text!(reduce("cpu").or_raise()), text("cpu"));
}
