//! A library whose ops have bodies for any backend: every kind of function, on backends that nobody implements them for.

use opswitch::{
    AutodiffOps, BackwardOptions, Device, DispatchError, FloatTensor, TensorHandle, backend_extension,
    extend_dispatch, ops::FloatOps,
};
use opswitch_cpu::Cpu;
use opswitch_tests::Npu;

use super::{PLACES, float_on, values};

#[backend_extension(Cpu, Npu, Autodiff)]
pub struct AnyDispatch;

/// Without autodiff.
#[backend_extension(Npu)]
pub struct PlainDispatch;

#[backend_extension(backends = any)]
pub trait AnyOps<T: Into<f64> + Copy + Send + Sync + 'static = f64>: FloatOps {
    /// No op.
    const TWO: f64 = 2.0;

    #[backward { x => B::float_mul_scalar(grad, by.into()); }]
    fn scaled(x: FloatTensor<Self>, by: T) -> FloatTensor<Self> {
        Self::float_mul_scalar(x, by.into())
    }

    /// Another op of the trait is meant, not the body of one.
    #[backward(default)]
    fn scaled_twice(mut x: FloatTensor<Self>, by: T, _: usize) -> FloatTensor<Self> {
        x = Self::scaled(x, by);
        Self::scaled(x, by)
    }

    #[backward(none)]
    #[allow(async_fn_in_trait, reason = "the trait is used here alone")]
    async fn later(x: FloatTensor<Self>) -> Result<Vec<FloatTensor<Self>>, DispatchError> {
        Ok(vec![x])
    }

    #[backward { x => grad; }]
    #[allow(clippy::manual_async_fn, reason = "the signature is what is tried")]
    fn promised(x: FloatTensor<Self>, by: T) -> impl Future<Output = FloatTensor<Self>> + Send {
        async move { Self::float_add_scalar(x, by.into()) }
    }

    /// # Safety
    ///
    /// `index` is 0.
    #[backward { x => grad; }]
    unsafe fn unchecked(x: &FloatTensor<Self>, index: usize) -> FloatTensor<Self> {
        assert_eq!(index, 0, "the caller promised it");
        x.clone()
    }

    #[backward(none)]
    fn repeated<'a, const N: usize>(
        r#type: Option<FloatTensor<Self>>,
        name: &'a str,
        device: &Device<Self>,
    ) -> ([FloatTensor<Self>; N], &'a str) {
        let zero = Self::float_zeros([1].into(), opswitch::DType::F64, device);
        (std::array::from_fn(|_| r#type.clone().unwrap_or_else(|| zero.clone())), name)
    }
}

extend_dispatch!(AnyDispatch: AnyOps);

/// The ops of one such library in those of another.
#[backend_extension(backends = any)]
pub trait MoreAnyOps: AnyOps<f32> {
    #[backward(default)]
    fn thrice(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::scaled(x, 3.0)
    }
}

extend_dispatch!(AnyDispatch: MoreAnyOps);

/// Without any gradient stated, for a dispatch without autodiff.
#[backend_extension(backends = any)]
pub trait PlainAnyOps: FloatOps {
    fn negated(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_neg(x)
    }
}

extend_dispatch!(PlainDispatch: PlainAnyOps);

fn device(place: &str) -> AnyDispatchDevice {
    place.parse().expect("a device of the dispatch")
}

fn float(values: &[f64], place: &str) -> FloatTensor<AnyDispatch> {
    float_on::<AnyDispatch>(values, &device(place))
}

#[track_caller]
fn assert_float(tensor: FloatTensor<AnyDispatch>, place: &str, expected: &[f64]) {
    assert_eq!(tensor.device().to_string(), place);
    assert_eq!(values::<AnyDispatch>(tensor), expected);
}

#[test]
fn every_kind_of_function() {
    for place in PLACES {
        let x = || float(&[1.0, 2.0], place);
        assert_float(AnyDispatch::scaled(x(), 2.0), place, &[2.0, 4.0]);
        assert_float(AnyDispatch::scaled_twice(x(), 3_i32, 0), place, &[9.0, 18.0]);
        let later = <AnyDispatch as AnyOps>::later(x());
        assert_float(pollster::block_on(later).expect("it is here").remove(0), place, &[1.0, 2.0]);
        assert_float(pollster::block_on(AnyDispatch::promised(x(), 1_u8)), place, &[2.0, 3.0]);
        // SAFETY: the index is 0.
        let same = unsafe { <AnyDispatch as AnyOps>::unchecked(&x(), 0) };
        assert_float(same, place, &[1.0, 2.0]);
        let ([one], name) = <AnyDispatch as AnyOps>::repeated::<1>(Some(x()), "name", &device(place));
        assert_float(one, place, &[1.0, 2.0]);
        assert_eq!(name, "name");
        let ([zero, _], _) = <AnyDispatch as AnyOps>::repeated::<2>(None, "", &device(place));
        assert_float(zero, place, &[0.0]);
        assert_float(AnyDispatch::thrice(x()), place, &[3.0, 6.0]);
    }
    assert_eq!(<AnyDispatch as AnyOps>::TWO, 2.0);
}

#[test]
fn gradients() {
    for place in PLACES.into_iter().filter(|place| place.starts_with("autodiff")) {
        let x = AnyDispatch::require_grad(float(&[2.0], place)).expect("an autodiff device");
        let y = AnyDispatch::thrice(AnyDispatch::scaled_twice(x.clone(), 5.0, 0));
        let y = pollster::block_on(AnyDispatch::promised(y, 1.0));
        // SAFETY: the index is 0.
        let y = unsafe { <AnyDispatch as AnyOps>::unchecked(&y, 0) };
        let gradients = AnyDispatch::backward(y, None, BackwardOptions::default()).expect("it is tracked");
        let gradient = AnyDispatch::gradient(&x, &gradients).expect("an autodiff device");
        assert_float(gradient.expect("the result depends on it"), place, &[75.0]);
    }
}

#[test]
fn without_autodiff() {
    for device in PlainDispatchDevice::enumerate() {
        let x = PlainDispatch::negated(float_on::<PlainDispatch>(&[1.0], &device));
        assert_eq!(x.device(), device);
        assert_eq!(values::<PlainDispatch>(x), [-1.0]);
    }
}
