//! Tensors in containers, borrowed tensors, aliases, devices, and several results.

use opswitch::{
    BoolTensor, DType, Device, DispatchError, FloatTensor, IntTensor, TensorHandle, backend_extension,
    ops::FloatOps,
};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, TestDispatch};

use super::{PLACES, assert_float, bool, bools, device, float, int, ints};

type Image<B> = FloatTensor<B>;
type Labelled<B> = Vec<(Image<B>, usize)>;
type Fallible<T> = Result<T, DispatchError>;

#[backend_extension(dispatch = TestDispatch)]
#[backward(none)]
pub trait ContainerOps: FloatOps {
    fn optional(x: FloatTensor<Self>, bias: Option<FloatTensor<Self>>) -> Option<FloatTensor<Self>> {
        bias.map(|bias| Self::float_add(x, bias))
    }

    fn list(tensors: Vec<FloatTensor<Self>>, device: &Device<Self>) -> Vec<FloatTensor<Self>> {
        let first = Self::float_zeros([1].into(), DType::F64, device);
        std::iter::once(first).chain(tensors).collect()
    }

    fn array(tensors: [FloatTensor<Self>; 2]) -> [FloatTensor<Self>; 3] {
        let [a, b] = tensors;
        [a.clone(), b.clone(), Self::float_add(a, b)]
    }

    fn tuple(pair: (FloatTensor<Self>, (usize, IntTensor<Self>))) -> ((IntTensor<Self>,), FloatTensor<Self>) {
        let (x, (times, index)) = pair;
        ((Self::int_mul_scalar(index, times as i64),), x)
    }

    #[expect(clippy::boxed_local, reason = "a box is an argument like any other")]
    fn boxed(x: Box<FloatTensor<Self>>) -> Box<FloatTensor<Self>> {
        Box::new(Self::float_neg(*x))
    }

    fn attempt(
        x: FloatTensor<Self>,
        other: Result<FloatTensor<Self>, String>,
    ) -> Result<FloatTensor<Self>, String> {
        other.map(|other| Self::float_add(x, other))
    }

    fn aliased(x: Image<Self>, images: Labelled<Self>) -> Fallible<(Image<Self>, Labelled<Self>)> {
        Ok((Self::float_neg(x), images))
    }

    #[expect(clippy::ref_option, reason = "a reference to an option is an argument too")]
    fn borrowed(
        x: &FloatTensor<Self>,
        list: &[FloatTensor<Self>],
        options: &Option<IntTensor<Self>>,
    ) -> FloatTensor<Self> {
        assert_eq!(options.is_some(), list.is_empty());
        list.iter().fold(x.clone(), |sum, next| Self::float_add(sum, next.clone()))
    }

    fn mixed(
        x: FloatTensor<Self>,
        mask: BoolTensor<Self>,
    ) -> (FloatTensor<Self>, BoolTensor<Self>, IntTensor<Self>, f64) {
        let count = Self::bool_into_int(mask.clone(), DType::I64);
        (x, Self::bool_not(mask), count, 0.5)
    }

    fn created(extent: usize, device: Device<Self>) -> FloatTensor<Self> {
        Self::float_ones([extent].into(), DType::F64, &device)
    }

    fn place(x: &FloatTensor<Self>) -> Device<Self> {
        x.device()
    }

    fn places(
        x: FloatTensor<Self>,
        devices: Vec<Device<Self>>,
        last: Option<&'static str>,
    ) -> (usize, Vec<Device<Self>>) {
        (x.shape().num_elements() + last.map_or(0, str::len), devices)
    }

    fn nothing(x: FloatTensor<Self>) {
        drop(x);
    }

    #[expect(clippy::unused_unit, reason = "no result, said aloud")]
    fn unit(x: FloatTensor<Self>) -> () {
        drop(x);
    }
}

impl ContainerOps for Cpu {}
impl ContainerOps for Npu {}

#[test]
fn options() {
    for place in PLACES {
        let x = || float(&[1.0, 2.0], place);
        assert!(TestDispatch::optional(x(), None).is_none());
        assert_float(TestDispatch::optional(x(), Some(x())).expect("there is one"), place, &[2.0, 4.0]);
    }
}

#[test]
fn lists() {
    for place in PLACES {
        for len in [0, 1, 3] {
            let tensors: Vec<_> = (0..len).map(|i| float(&[f64::from(i)], place)).collect();
            let results = TestDispatch::list(tensors, &device(place));
            assert_eq!(results.len(), len as usize + 1);
            assert_float(results.last().expect("never empty").clone(), place, &[f64::from((len - 1).max(0))]);
        }
        let [a, b, sum] = TestDispatch::array([float(&[1.0], place), float(&[2.0], place)]);
        assert_float(a, place, &[1.0]);
        assert_float(b, place, &[2.0]);
        assert_float(sum, place, &[3.0]);
    }
}

#[test]
fn tuples_and_boxes() {
    for place in PLACES {
        let ((index,), x) = TestDispatch::tuple((float(&[1.0], place), (3, int(&[1, 2], place))));
        assert_eq!(ints::<TestDispatch>(index), [3, 6]);
        assert_float(x, place, &[1.0]);
        assert_float(*TestDispatch::boxed(Box::new(float(&[1.0], place))), place, &[-1.0]);
    }
}

#[test]
fn results() {
    for place in PLACES {
        let x = || float(&[1.0], place);
        assert_float(TestDispatch::attempt(x(), Ok(x())).expect("it is there"), place, &[2.0]);
        assert_eq!(TestDispatch::attempt(x(), Err("none".to_owned())).unwrap_err(), "none");
    }
}

#[test]
fn aliases() {
    for place in PLACES {
        let image = || float(&[1.0], place);
        let (x, mut images) = TestDispatch::aliased(image(), vec![(image(), 7)]).expect("all are here");
        assert_float(x, place, &[-1.0]);
        let (image, label) = images.remove(0);
        assert_float(image, place, &[1.0]);
        assert_eq!(label, 7);
    }
    assert!(TestDispatch::aliased(float(&[1.0], "cpu"), vec![(float(&[1.0], "npu"), 7)]).is_err());
}

#[test]
fn references() {
    for place in PLACES {
        let x = float(&[1.0], place);
        let list = [x.clone(), x.clone()];
        assert_float(TestDispatch::borrowed(&x, &list, &None), place, &[3.0]);
        assert_float(TestDispatch::borrowed(&x, &[], &Some(int(&[1], place))), place, &[1.0]);
        // A plain tensor beside a tracked one is lowered to a constant, and is not where it can be borrowed.
        let plain = float(&[1.0], &device(place).inner().to_string());
        let tracked = float(&[1.0], &device(place).inner().autodiff().to_string());
        let tracked_place = tracked.device().to_string();
        assert_float(
            TestDispatch::borrowed(&plain, &[tracked, plain.clone()], &None),
            &tracked_place,
            &[3.0],
        );
    }
}

#[test]
fn several_results() {
    for place in PLACES {
        let (x, inverse, count, half) =
            TestDispatch::mixed(float(&[1.0], place), bool(&[true, false], place));
        assert_float(x, place, &[1.0]);
        assert_eq!(bools::<TestDispatch>(inverse), [false, true]);
        // An int or a bool carries no autodiff state.
        assert_eq!(count.device(), device(place).inner());
        assert_eq!(ints::<TestDispatch>(count), [1, 0]);
        assert_eq!(half, 0.5);
        TestDispatch::nothing(float(&[1.0], place));
        TestDispatch::unit(float(&[1.0], place));
    }
}

#[test]
fn devices_as_arguments_and_results() {
    for place in PLACES {
        assert_float(TestDispatch::created(2, device(place)), place, &[1.0, 1.0]);
        assert_eq!(TestDispatch::place(&float(&[1.0], place)), device(place));
        let (count, devices) =
            TestDispatch::places(float(&[1.0, 2.0], place), vec![device(place); 2], Some("abc"));
        assert_eq!(count, 5);
        assert_eq!(devices, vec![device(place); 2]);
    }
    // A plain device beside a tracked tensor is the autodiff device around it.
    let (_, devices) = TestDispatch::places(float(&[1.0], "autodiff(npu:0)"), vec![device("npu:1")], None);
    assert_eq!(devices, [device("autodiff(npu:1)")]);
}

#[test]
fn a_plain_float_beside_a_tracked_one() {
    let (plain, tracked) = (float(&[1.0], "npu:1"), float(&[2.0], "autodiff(npu:1)"));
    assert_float(TestDispatch::float_add(plain.clone(), tracked.clone()), "autodiff(npu:1)", &[3.0]);
    assert_float(TestDispatch::float_add(tracked, plain.clone()), "autodiff(npu:1)", &[3.0]);
    assert_float(TestDispatch::float_add(plain.clone(), plain), "npu:1", &[2.0]);
}
