//! The devices of a dispatch.

use std::collections::HashSet;

use opswitch::{Backend, Checkpointing, DispatchBackend, DispatchDeviceHandle, TensorHandle};
use opswitch_tests::{PlainDispatch, PlainDispatchDevice, TestDispatch, TestDispatchDevice};

use super::{PLACES, assert_float, device, float};

#[test]
fn text_round_trips() {
    for place in PLACES {
        assert_eq!(device(place).to_string(), place);
    }
    for (text, place) in
        [("npu", "npu:0"), ("cpu:0", "cpu"), (" npu:1 ", "npu:1"), ("autodiff( npu )", "autodiff(npu:0)")]
    {
        assert_eq!(device(text).to_string(), place);
    }
}

#[test]
fn enumeration() {
    let names =
        |devices: Vec<TestDispatchDevice>| devices.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(TestDispatchDevice::enumerate()), ["cpu", "npu:0", "npu:1"]);
    assert_eq!(names(TestDispatch::devices()), ["cpu", "npu:0", "npu:1"]);
    assert_eq!(PlainDispatchDevice::enumerate().len(), 1);
    let different: HashSet<_> = PLACES.iter().map(|place| device(place)).collect();
    assert_eq!(different.len(), PLACES.len());
}

#[test]
fn autodiff_around_a_device() {
    for place in ["cpu", "npu:0", "npu:1"] {
        let plain = device(place);
        let tracked = plain.autodiff();
        assert_eq!(tracked.to_string(), format!("autodiff({place})"));
        assert!(tracked.is_autodiff() && !plain.is_autodiff());
        assert_eq!((tracked.inner(), plain.inner()), (plain.clone(), plain.clone()));
        assert_eq!(tracked.backend_name(), plain.backend_name());
        assert_eq!((plain.checkpointing(), tracked.checkpointing()), (None, Some(Checkpointing::Off)));
        let balanced = plain.autodiff_with(Checkpointing::Balanced);
        assert_eq!(balanced.checkpointing(), Some(Checkpointing::Balanced));
    }
}

#[test]
fn devices_wait() {
    for place in PLACES {
        TestDispatch::sync(&device(place)).expect("nothing fails here");
    }
    PlainDispatch::sync(&PlainDispatchDevice::default()).expect("nothing fails here");
}

#[test]
fn tensors_in_and_out_of_autodiff() {
    for place in ["cpu", "npu:0", "npu:1"] {
        let tracked = TestDispatch::from_inner(float(&[1.0], place)).expect("it is plain");
        assert_eq!(tracked.device(), device(place).autodiff());
        assert_float(TestDispatch::inner(tracked), place, &[1.0]);
        assert_float(TestDispatch::inner(float(&[1.0], place)), place, &[1.0]);
    }
}
