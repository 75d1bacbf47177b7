//! Generic methods and generic traits.

use opswitch::{Backend, Device, FloatTensor, TensorHandle, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, TestDispatch};

use super::{PLACES, assert_float, device, float};

/// Something that names a number, to be a bound.
pub trait Scale {
    const BY: f64;
}

/// A scale of 3.
pub struct Thrice;

impl Scale for Thrice {
    const BY: f64 = 3.0;
}

#[backend_extension(dispatch = TestDispatch)]
#[backward(none)]
pub trait GenericOps: FloatOps {
    fn split<const N: usize>(x: FloatTensor<Self>) -> [FloatTensor<Self>; N] {
        std::array::from_fn(|_| x.clone())
    }

    fn join<const N: usize>(tensors: [FloatTensor<Self>; N], device: &Device<Self>) -> FloatTensor<Self> {
        let zero = Self::float_zeros([1].into(), opswitch::DType::F64, device);
        tensors.into_iter().fold(zero, Self::float_add)
    }

    fn scaled<S: Scale, T>(x: FloatTensor<Self>, more: T) -> (FloatTensor<Self>, usize)
    where
        T: AsRef<[u8]>,
    {
        (Self::float_mul_scalar(x, S::BY), more.as_ref().len())
    }

    fn mapped<F>(x: FloatTensor<Self>, f: F) -> FloatTensor<Self>
    where
        F: Fn(f64) -> f64,
    {
        Self::float_mul_scalar(x, f(2.0))
    }

    fn tagged<'a, 'b: 'a>(
        x: &'a FloatTensor<Self>,
        tag: &'b str,
        list: &'a [FloatTensor<Self>],
    ) -> (&'b str, usize) {
        (tag, x.shape().rank() + list.len())
    }

    fn argument(x: FloatTensor<Self>, shape: impl Into<Vec<usize>>) -> FloatTensor<Self> {
        let shape: Vec<usize> = shape.into();
        Self::float_reshape(x, shape.into())
    }
}

impl GenericOps for Cpu {}
impl GenericOps for Npu {}

/// A trait that is generic itself.
#[backend_extension(dispatch = TestDispatch)]
#[backward(none)]
pub trait ConvertOps<T: Into<f64> + Copy, const N: usize>: FloatOps {
    /// The scale of all, and no op.
    const SCALE: f64 = 2.0;

    fn times(x: FloatTensor<Self>, factors: [T; N]) -> FloatTensor<Self> {
        let product: f64 = factors.into_iter().map(Into::into).product();
        Self::float_mul_scalar(x, product * Self::SCALE)
    }
}

impl<T: Into<f64> + Copy, const N: usize> ConvertOps<T, N> for Cpu {}
impl<T: Into<f64> + Copy, const N: usize> ConvertOps<T, N> for Npu {}

#[test]
fn constants() {
    for place in PLACES {
        let x = || float(&[1.0], place);
        let [a, b] = TestDispatch::split::<2>(x());
        assert_float(a, place, &[1.0]);
        assert_float(b, place, &[1.0]);
        assert_float(TestDispatch::join([x(), x(), x()], &device(place)), place, &[3.0]);
        assert_float(TestDispatch::join([], &device(place)), place, &[0.0]);
    }
}

#[test]
fn types() {
    for place in PLACES {
        let (x, len) = TestDispatch::scaled::<Thrice, _>(float(&[1.0], place), "four");
        assert_float(x, place, &[3.0]);
        assert_eq!(len, 4);
        let factor = 5.0;
        assert_float(TestDispatch::mapped(float(&[1.0], place), |x| x * factor), place, &[10.0]);
        let column = TestDispatch::argument(float(&[1.0, 2.0], place), [2, 1]);
        assert_eq!(column.shape().dims(), [2, 1]);
    }
}

#[test]
fn lifetimes() {
    for place in PLACES {
        let tag = String::from("tag");
        let found = {
            let x = float(&[1.0], place);
            let (found, count) = TestDispatch::tagged(&x, &tag, std::slice::from_ref(&x));
            assert_eq!(count, 2);
            found
        };
        assert_eq!(found, "tag");
    }
}

#[test]
fn generic_traits() {
    for place in PLACES {
        let x = || float(&[1.0], place);
        assert_float(<TestDispatch as ConvertOps<f32, 2>>::times(x(), [1.5, 2.0]), place, &[6.0]);
        assert_float(<TestDispatch as ConvertOps<i32, 0>>::times(x(), []), place, &[2.0]);
    }
    assert_eq!(<TestDispatch as ConvertOps<u8, 1>>::SCALE, 2.0);
}

/// Code that is generic in the backend runs on a dispatch as on any backend.
fn sum_of<B: Backend + GenericOps>(tensors: [FloatTensor<B>; 2]) -> FloatTensor<B> {
    let device = tensors[0].device();
    B::join(tensors, &device)
}

#[test]
fn generic_callers() {
    for place in PLACES {
        assert_float(sum_of::<TestDispatch>([float(&[1.0], place), float(&[2.0], place)]), place, &[3.0]);
    }
}
