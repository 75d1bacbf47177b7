//! Devices that are wrapped twice, of several kinds, unknown, or not there.

use std::process::Command;

use opswitch::{
    Checkpointing, Device, DispatchDeviceHandle, DispatchError, OrRaise, backend_extension,
    ops::{CollectiveOps, ReduceOp},
};
use opswitch_tests::{Npu, PlainDispatch, PlainDispatchDevice, TestDispatch, TestDispatchDevice};

use super::{
    device, float,
    ops::{ProbeError, ProbeOps},
    panic_text,
};

/// A dispatch with backends that this build leaves out. Their paths lead nowhere.
#[allow(unexpected_cfgs, reason = "a feature that is never on")]
mod partial {
    use super::{Npu, backend_extension};

    #[backend_extension(
        Npu,
        Gpu = absent::Gpu: cfg(feature = "gpu"),
        Tpu = absent::Tpu: cfg(all(feature = "tpu", unix)),
        Autodiff: cfg(feature = "autodiff"),
    )]
    pub(super) struct PartialDispatch;
}

use partial::PartialDispatchDevice;

fn parse_error<D: std::str::FromStr<Err = DispatchError>>(text: &str) -> String {
    let error = text.parse::<D>().err().expect("there is no such device");
    error.to_string()
}

#[test]
fn a_device_wrapped_twice() {
    let text = |device: &str| {
        format!(
            "Autodiff should not wrap an autodiff device.
  expected: a plain device
  found:    {device}
  help:     the device tracks gradients already; use it as it is, or wrap its `inner()`"
        )
    };
    let tracked = device("npu:1").autodiff();
    assert_eq!(panic_text!(tracked.autodiff()), text("autodiff(npu:1)"));
    assert_eq!(panic_text!(tracked.autodiff_with(Checkpointing::Balanced)), text("autodiff(npu:1)"));
    let error = tracked.clone().try_autodiff_with(Checkpointing::Off).unwrap_err();
    assert_eq!(error.to_string(), text("autodiff(npu:1)"));
    assert_eq!(parse_error::<TestDispatchDevice>("autodiff(autodiff(cpu))"), text("autodiff(cpu)"));
    assert_eq!(tracked.inner().autodiff(), tracked);
}

#[test]
fn autodiff_that_is_not_compiled_in() {
    let text = |device: &str| {
        format!(
            "autodiff context requires the `autodiff` feature
  expected: a dispatch with `Autodiff`
  found:    {device}
  help:     add `Autodiff` to the list of backends in `#[backend_extension(..)]`, or enable the feature it is under"
        )
    };
    let plain: PlainDispatchDevice = "cpu".parse().expect("a device of the dispatch");
    assert_eq!(panic_text!(plain.autodiff()), text("cpu"));
    assert_eq!(plain.try_autodiff_with(Checkpointing::Off).unwrap_err().to_string(), text("cpu"));
    assert_eq!(parse_error::<PlainDispatchDevice>("autodiff(cpu)"), text("cpu"));
    assert_eq!(parse_error::<PartialDispatchDevice>("autodiff(npu:1)"), text("npu:1"));
}

#[test]
fn devices_of_several_backends() {
    let text = |op: &str| {
        format!(
            "All devices are expected to be of the same variant.
  op:       ProbeOps::{op}
  argument: devices[1]
  expected: cpu
  found:    npu:1
  help:     give devices of one backend, with autodiff around all of them or around none"
        )
    };
    let devices = [device("cpu"), device("npu:1")];
    assert_eq!(panic_text!(TestDispatch::meet(&devices, None)), text("meet"));
    let error = TestDispatch::try_meet(&devices, None).unwrap_err();
    assert_eq!(error.to_string(), text("try_meet"));
    let ProbeError::Dispatch(error) = TestDispatch::checked_meet(&devices, None).unwrap_err() else {
        panic!("the error of a dispatch becomes `ProbeError::Dispatch`");
    };
    assert_eq!(error.to_string(), text("checked_meet"));
    assert_eq!(TestDispatch::meet(&[device("npu:0"), device("npu:1")], None), 2);
}

#[test]
fn devices_with_autodiff_around_some() {
    let text = |op: &str, argument: &str| {
        format!(
            "All devices are expected to be of the same variant.
  op:       ProbeOps::{op}
  argument: {argument}
  expected: cpu
  found:    autodiff(cpu)
  help:     give devices of one backend, with autodiff around all of them or around none"
        )
    };
    let (plain, tracked) = (device("cpu"), device("autodiff(cpu)"));
    let devices = [plain.clone(), tracked.clone()];
    assert_eq!(panic_text!(TestDispatch::meet(&devices, None)), text("meet", "devices"));
    let error = TestDispatch::try_meet(&devices, None).unwrap_err();
    assert_eq!(error.to_string(), text("try_meet", "devices"));
    let error = TestDispatch::try_meet(&[plain], Some(tracked.clone())).unwrap_err();
    assert_eq!(error.to_string(), text("try_meet", "guest"));
    assert_eq!(TestDispatch::meet(&[tracked.clone(), tracked], None), 2);
}

#[test]
fn collective_ops_on_devices_of_several_backends() {
    let text = "All devices are expected to be of the same variant.
  op:       CollectiveOps::all_reduce
  argument: group[1]
  expected: npu:0
  found:    cpu
  help:     give devices of one backend, with autodiff around all of them or around none";
    let reduce =
        |group: &[Device<TestDispatch>]| TestDispatch::all_reduce(float("npu"), group, ReduceOp::Sum);
    let mixed = [device("npu:1"), device("cpu")];
    assert_eq!(reduce(&mixed).unwrap_err().to_string(), text);
    assert_eq!(panic_text!(reduce(&mixed).or_raise()), text);
    assert!(reduce(&[device("npu:0"), device("npu:1")]).is_ok());
}

#[test]
fn names_that_are_not_listed() {
    for unknown in ["tpu", "tpu:1", "", " CPU"] {
        let text = format!(
            "unsupported dispatch backend
  expected: one of cpu, npu
  found:    `{unknown}`
  help:     write one of these names, with a number where there are several devices, as in `cpu:0`"
        );
        assert_eq!(parse_error::<TestDispatchDevice>(unknown), text);
    }
    let text = "unsupported dispatch backend
  expected: one of cpu, npu
  found:    `autodiff cpu`
  help:     an autodiff device is written as in `autodiff(cpu)`";
    assert_eq!(parse_error::<TestDispatchDevice>("autodiff cpu"), text);
    assert_eq!(panic_text!("autodiff cpu".parse::<TestDispatchDevice>().or_raise()), text);
}

#[test]
fn numbers_that_no_device_has() {
    let text = "unsupported dispatch backend
  expected: a device of this machine
  found:    `npu:7`
  help:     device `npu:7`: this machine has two; write `npu:0` or `npu:1`";
    assert_eq!(parse_error::<TestDispatchDevice>("npu:7"), text);
    assert_eq!(parse_error::<TestDispatchDevice>("autodiff(npu:7)"), text);
    assert_eq!(panic_text!("npu:7".parse::<TestDispatchDevice>().or_raise()), text);
}

#[test]
fn backends_that_are_not_compiled_in() {
    let text = "unsupported dispatch backend
  expected: a backend that is compiled in
  found:    `gpu:1`
  help:     this program was built without it; enable the feature `gpu` of the crate `it`";
    assert_eq!(parse_error::<PartialDispatchDevice>("gpu:1"), text);
    let text = "unsupported dispatch backend
  expected: a backend that is compiled in
  found:    `tpu`
  help:     this program was built without it; the crate `it` has it under `cfg(all(feature = \"tpu\", unix))`";
    assert_eq!(parse_error::<PartialDispatchDevice>("tpu"), text);
    assert_eq!(panic_text!("tpu".parse::<PartialDispatchDevice>().or_raise()), text);
}

/// Runs the ignored test below in a process of its own, which has the variable.
fn default_device(variable: Option<&str>) -> String {
    let mut child = Command::new(std::env::current_exe().expect("this test has a path"));
    child.args(["errors::devices::prints_the_default_device", "--exact", "--ignored", "--nocapture"]);
    match variable {
        Some(text) => child.env("OPSWITCH_DEVICE", text),
        None => child.env_remove("OPSWITCH_DEVICE"),
    };
    let output = child.output().expect("this test can be started");
    String::from_utf8(output.stdout).expect("tests print text")
}

#[test]
#[ignore = "started by `the_default_device` in a process of its own"]
fn prints_the_default_device() {
    if matches!(std::env::var("OPSWITCH_DEVICE").as_deref(), Ok("tpu")) {
        println!("<{}>", panic_text!(TestDispatchDevice::default()));
    } else {
        println!("<{}, {}>", TestDispatchDevice::default(), Device::<PlainDispatch>::enumerate().len());
    }
}

#[test]
fn the_default_device() {
    assert!(default_device(None).contains("<cpu, 1>"));
    assert!(default_device(Some("npu:1")).contains("<npu:1, 1>"));
    assert!(default_device(Some(" autodiff(npu) ")).contains("<autodiff(npu:0), 1>"));
    let text = "<unsupported dispatch backend
  argument: OPSWITCH_DEVICE
  expected: one of cpu, npu
  found:    `tpu`
  help:     write one of these names, with a number where there are several devices, as in `cpu:0`>";
    let found = default_device(Some("tpu"));
    assert!(found.contains(text), "{found}");
}
