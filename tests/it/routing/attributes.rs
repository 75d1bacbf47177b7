//! Attributes on methods and traits.

#![deny(missing_docs, unused, clippy::pedantic)]

use opswitch::{AutodiffOps, BackwardOptions, FloatTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, TestDispatch};

use super::{PLACES, assert_float, float};

/// Ops that are there or not.
#[backend_extension(dispatch = TestDispatch)]
#[backward(none)]
#[allow(clippy::too_many_arguments, reason = "one op has many")]
pub trait SwitchedOps: FloatOps {
    /// Always there.
    #[must_use]
    #[inline]
    fn always(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    /// There in a build with tests.
    #[cfg(test)]
    #[doc(alias = "maybe")]
    fn in_tests(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_neg(x)
    }

    /// Never there, and its types are not there either.
    #[cfg(not(test))]
    fn outside_tests(x: FloatTensor<Self>, absent: Absent) -> FloatTensor<Self>;

    /// Refused by clippy without the attribute on the trait.
    fn many(
        a: FloatTensor<Self>,
        b: f64,
        c: f64,
        d: f64,
        e: f64,
        f: f64,
        g: f64,
        h: f64,
    ) -> FloatTensor<Self> {
        Self::float_add_scalar(a, b + c + d + e + f + g + h)
    }

    /// Still there.
    #[deprecated = "to see that generated code does not warn"]
    fn old(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

impl SwitchedOps for Cpu {}
impl SwitchedOps for Npu {}

/// An op library whose ops are switched in the crate that declares them.
#[backend_extension]
#[backward(none)]
pub trait SwitchedLibraryOps: FloatOps {
    /// There in a build with tests.
    #[cfg(test)]
    fn twice(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_mul_scalar(x, 2.0)
    }

    /// Never there.
    #[cfg(not(test))]
    fn thrice(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl SwitchedLibraryOps for Cpu {}
impl SwitchedLibraryOps for Npu {}

opswitch::extend_dispatch!(TestDispatch: SwitchedLibraryOps);

/// An op library in which arguments are switched.
#[backend_extension]
pub trait ConditionalOps: FloatOps {
    /// `x * scale + there`.
    #[backward {
        x => B::float_mul_scalar(grad, scale);
        there => grad;
        absent => B::float_neg(grad);
    }]
    fn conditional(
        x: FloatTensor<Self>,
        #[cfg(test)] there: FloatTensor<Self>,
        #[cfg(test)] scale: f64,
        #[cfg(all(not(test), unix))] absent: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::float_add(Self::float_mul_scalar(x, scale), there)
    }
}

impl ConditionalOps for Cpu {}

impl ConditionalOps for Npu {
    fn conditional(
        x: FloatTensor<Self>,
        #[cfg(test)] there: FloatTensor<Self>,
        #[cfg(test)] scale: f64,
        #[cfg(all(not(test), unix))] absent: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::float_add(there, Self::float_mul_scalar(x, scale))
    }
}

opswitch::extend_dispatch!(TestDispatch: ConditionalOps);

#[test]
fn conditions_on_arguments() {
    for place in ["cpu", "npu:1"] {
        let device = super::device(place).autodiff();
        let tracked = |value: f64| {
            TestDispatch::require_grad(super::float_on::<TestDispatch>(&[value], &device))
                .expect("an autodiff device")
        };
        let (x, there) = (tracked(2.0), tracked(1.0));
        let y = TestDispatch::conditional(x.clone(), there.clone(), 3.0);
        assert_eq!(super::values::<TestDispatch>(y.clone()), [7.0]);
        let gradients =
            TestDispatch::backward(y, None, BackwardOptions::default()).expect("the inputs are tracked");
        for (input, expected) in [(x, 3.0), (there, 1.0)] {
            let gradient = TestDispatch::gradient(&input, &gradients).expect("an autodiff device");
            assert_eq!(super::values::<TestDispatch>(gradient.expect("it is tracked")), [expected]);
        }
    }
}

#[test]
fn conditions() {
    for place in PLACES {
        assert_float(TestDispatch::always(float(&[1.0], place)), place, &[1.0]);
        assert_float(TestDispatch::in_tests(float(&[1.0], place)), place, &[-1.0]);
        assert_float(TestDispatch::twice(float(&[1.0], place)), place, &[2.0]);
        assert_float(
            TestDispatch::many(float(&[1.0], place), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
            place,
            &[8.0],
        );
        #[expect(deprecated, reason = "the attribute reaches whoever calls the op")]
        let x = TestDispatch::old(float(&[1.0], place));
        assert_float(x, place, &[1.0]);
    }
}
