//! The kit itself: what is wrong on purpose is found, in these words.

mod expansion;
mod faults;
mod generated;
mod lists;

use opswitch::{AutodiffOps, Backend as _, FloatTensor, TensorHandle, backend_extension, ops::FloatOps};
use opswitch_testing::{Aspect, Conformance, float, sample};

/// The CPU, and a backend with two devices.
#[backend_extension(Cpu = opswitch_cpu::Cpu, Npu = acme_npu::Npu, Autodiff)]
pub(crate) struct Dispatch;

type Float = FloatTensor<Dispatch>;

/// An op of one input under a name that no table has.
fn unary(call: impl Fn(Float) -> Float + 'static) -> Conformance<Dispatch> {
    let samples = [sample!(float([2, 3]).range(0.5, 2.0)).named("small")];
    Conformance::new("FaultyOps::unary", &["x"], samples, move |(x,)| call(x))
}

/// The text of the first failure.
fn failure(op: &Conformance<Dispatch>, aspect: Aspect, device: &str) -> String {
    let device: DispatchDevice = device.parse().expect("a device of the dispatch");
    let failures = op.check(aspect, &device).expect_err("something is wrong");
    failures.iter().next().expect("there is one").to_string()
}

/// Whether the tensor is tracked, or on a device that tracks.
fn is_on_autodiff(x: &Float) -> bool {
    Dispatch::is_tracked(x) || x.device().is_autodiff()
}

fn plus(x: Float, value: f64) -> Float {
    Dispatch::float_add_scalar(x, value)
}

/// The ops that the faulty ones are made from have no faults.
#[test]
fn what_is_right_passes() {
    let op = unary(|x| plus(Dispatch::float_square(x), 1.0));
    for device in Dispatch::devices() {
        for aspect in Aspect::ALL {
            op.check(aspect, &device).unwrap_or_else(|failures| panic!("{failures}"));
        }
    }
}
