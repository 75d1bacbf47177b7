//! Kinds of functions: asynchronous, unsafe, with patterns and odd names, with bodies and without.

use std::future::Future;

use opswitch::{Device, DispatchError, FloatTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::{Cpu, CpuTensor};
use opswitch_tests::{Npu, NpuTensor, TestDispatch};

use super::{PLACES, assert_float, device, float};

#[backend_extension(dispatch = TestDispatch)]
#[backward(none)]
#[allow(async_fn_in_trait, reason = "the trait is used here alone")]
pub trait FormOps: FloatOps {
    async fn later(
        x: FloatTensor<Self>,
        list: Vec<FloatTensor<Self>>,
    ) -> Result<FloatTensor<Self>, DispatchError> {
        Ok(list.into_iter().fold(x, Self::float_add))
    }

    async fn later_without_result(x: FloatTensor<Self>) {
        drop(x);
    }

    fn promised(x: FloatTensor<Self>, scale: f64) -> impl Future<Output = FloatTensor<Self>> + Send {
        async move { Self::float_mul_scalar(x, scale) }
    }

    fn promised_number(x: FloatTensor<Self>) -> impl Future<Output = Result<Vec<f64>, DispatchError>> + Send {
        async move {
            let data = Self::float_into_data(x).await.expect("tensors are readable");
            Ok(data.to_vec())
        }
    }

    /// # Safety
    ///
    /// `index` is 0.
    unsafe fn unchecked(x: FloatTensor<Self>, index: usize) -> FloatTensor<Self> {
        assert_eq!(index, 0, "the caller promised it");
        x
    }

    fn patterns(_: f64, mut x: FloatTensor<Self>, _: &Device<Self>, _unused: usize) -> FloatTensor<Self> {
        x = Self::float_neg(x);
        x
    }

    fn keywords(
        r#type: FloatTensor<Self>,
        r#fn: Option<FloatTensor<Self>>,
        r#match: usize,
    ) -> FloatTensor<Self> {
        let _ = r#match;
        r#fn.map_or(r#type.clone(), |other| Self::float_add(r#type, other))
    }

    fn r#loop(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    fn names(
        route: FloatTensor<Self>,
        device: &Device<Self>,
        tensor: &FloatTensor<Self>,
        error: usize,
        call: f64,
        to: f64,
        lowered: Vec<FloatTensor<Self>>,
    ) -> FloatTensor<Self> {
        let _ = (device, error, call, to);
        lowered.into_iter().fold(Self::float_add(route, tensor.clone()), Self::float_add)
    }

    /// Each backend writes this one itself.
    fn name(x: FloatTensor<Self>) -> &'static str;

    /// Only the NPU overrides this one.
    fn scale(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_mul_scalar(x, 2.0)
    }
}

impl FormOps for Cpu {
    fn name(_: CpuTensor) -> &'static str {
        "kernel of the CPU"
    }
}

impl FormOps for Npu {
    fn name(_: NpuTensor) -> &'static str {
        "kernel of the NPU"
    }

    fn scale(x: NpuTensor) -> NpuTensor {
        Self::float_mul_scalar(x, 3.0)
    }
}

#[test]
fn futures() {
    for place in PLACES {
        let x = || float(&[1.0], place);
        let sum = pollster::block_on(TestDispatch::later(x(), vec![x(), x()]));
        assert_float(sum.expect("all are here"), place, &[3.0]);
        pollster::block_on(TestDispatch::later_without_result(x()));
        assert_float(pollster::block_on(is_send(TestDispatch::promised(x(), 4.0))), place, &[4.0]);
        let numbers = pollster::block_on(is_send(TestDispatch::promised_number(x())));
        assert_eq!(numbers.expect("all are here"), [1.0]);
    }
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn unsafe_ops() {
    for place in PLACES {
        // SAFETY: the index is 0.
        let x = unsafe { TestDispatch::unchecked(float(&[1.0], place), 0) };
        assert_float(x, place, &[1.0]);
    }
}

#[test]
fn names_and_patterns() {
    for place in PLACES {
        let x = || float(&[1.0], place);
        assert_float(TestDispatch::patterns(0.0, x(), &device(place), 1), place, &[-1.0]);
        assert_float(TestDispatch::keywords(x(), Some(x()), 1), place, &[2.0]);
        assert_float(TestDispatch::keywords(x(), None, 1), place, &[1.0]);
        assert_float(TestDispatch::r#loop(x()), place, &[1.0]);
        assert_float(TestDispatch::names(x(), &device(place), &x(), 1, 2.0, 3.0, vec![x()]), place, &[3.0]);
    }
}

#[test]
fn the_backend_of_the_tensor_runs() {
    for place in PLACES {
        let is_npu = place.contains("npu");
        assert_eq!(
            TestDispatch::name(float(&[1.0], place)),
            if is_npu { "kernel of the NPU" } else { "kernel of the CPU" }
        );
        assert_float(TestDispatch::scale(float(&[1.0], place)), place, &[if is_npu { 3.0 } else { 2.0 }]);
    }
}
