//! The four forms of the attribute, and dispatches beside each other.

use opswitch::{Backend, FloatTensor, TensorHandle, backend_extension, extend_dispatch, ops::FloatOps};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, PlainDispatch, PlainDispatchDevice, TestDispatch};

use super::{PLACES, assert_float, float, float_on, values};

/// What a library crate would hold: ops without a dispatch, over types that mean nothing elsewhere.
mod library {
    use opswitch::{Backend, ExtensionType, FloatTensor, backend_extension, ops::FloatOps};

    type Signal<B> = FloatTensor<B>;

    #[derive(Clone, Debug, ExtensionType)]
    pub struct Filter<B: Backend> {
        pub taps: Signal<B>,
        pub order: Order,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Order {
        Direct,
        Negated,
    }

    #[backend_extension]
    #[backward(none)]
    pub trait SignalOps: FloatOps {
        fn filtered(signal: Signal<Self>, filter: Filter<Self>, orders: Vec<Order>) -> Filter<Self> {
            let taps =
                if filter.order == Order::Negated { Self::float_neg(filter.taps) } else { filter.taps };
            let order = orders.first().copied().unwrap_or(filter.order);
            Filter { taps: Self::float_mul(signal, taps), order }
        }

        #[expect(clippy::trivially_copy_pass_by_ref, reason = "a plain reference is an argument too")]
        fn borrowed(signals: &[Signal<Self>], order: &Order) -> usize {
            signals.len() + usize::from(*order == Order::Direct)
        }
    }

    #[backend_extension]
    #[backward(none)]
    pub trait MoreOps: SignalOps {
        fn order(filter: &Filter<Self>) -> Order {
            filter.order
        }

        fn repeated<T: Into<f64>, const N: usize>(
            filter: Filter<Self>,
            by: T,
        ) -> Vec<([Signal<Self>; N], usize)> {
            let taps = Self::float_mul_scalar(filter.taps, by.into());
            vec![(std::array::from_fn(|_| taps.clone()), N)]
        }

        fn named<'a>(pair: (&'a str, Order), filter: &Filter<Self>) -> &'a str {
            if pair.1 == filter.order { pair.0 } else { "" }
        }

        fn promised(filter: Filter<Self>, order: Order) -> impl Future<Output = Filter<Self>> + Send {
            async move { Filter { order, ..filter } }
        }
    }
}

impl library::SignalOps for Cpu {}
impl library::SignalOps for Npu {}
impl library::MoreOps for Cpu {}
impl library::MoreOps for Npu {}

/// Its dispatch is a struct of its own; the trait names it.
mod named {
    use super::{Cpu, FloatOps, FloatTensor, Npu, backend_extension};

    #[backend_extension(Npu, Cpu)]
    struct Hidden;

    #[backend_extension(dispatch = Hidden)]
    trait HiddenOps: FloatOps {
        fn twice(x: FloatTensor<Self>) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, 2.0)
        }
    }

    impl HiddenOps for Cpu {}
    impl HiddenOps for Npu {}

    pub(super) fn doubled(place: &str) -> Vec<f64> {
        let device = place.parse().expect("a device of the dispatch");
        super::values::<Hidden>(Hidden::twice(super::float_on::<Hidden>(&[1.0], &device)))
    }
}

/// One attribute declares everything.
mod short {
    use super::{Cpu, FloatOps, FloatTensor, Npu, backend_extension};

    #[backend_extension(Cpu, Second = Npu, Autodiff)]
    pub(crate) trait ShortOps: FloatOps {
        #[backward {
            x => B::float_mul_scalar(grad, 3.0);
        }]
        fn thrice(x: FloatTensor<Self>) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, 3.0)
        }
    }

    impl ShortOps for Cpu {}
    impl ShortOps for Npu {}
}

/// A dispatch that is visible in this crate alone, with a backend that its build has.
#[backend_extension(Cpu: cfg(test), Npu: cfg(not(test)), Autodiff: cfg(test))]
pub(crate) struct CrateDispatch;

/// A dispatch that lists only what one backend needs, without the built-in families.
#[backend_extension(Npu, families = none)]
pub struct BareDispatch;

/// An app that names none of the types in the signatures.
mod app {
    opswitch::extend_dispatch!(opswitch_tests::TestDispatch: super::library::SignalOps, super::library::MoreOps);
}

extend_dispatch!(PlainDispatch: library::SignalOps);
// A `crate` option and a list of traits.
extend_dispatch!(crate = ::opswitch; CrateDispatch: library::SignalOps, library::MoreOps,);
extend_dispatch!(short::Dispatch: library::SignalOps);

fn filter<D>(taps: FloatTensor<D>) -> library::Filter<D>
where
    D: library::SignalOps,
{
    library::Filter { taps, order: library::Order::Negated }
}

use library::{MoreOps, SignalOps};

#[test]
fn a_library_on_every_dispatch() {
    for place in PLACES {
        let x = || float(&[2.0], place);
        let filtered = TestDispatch::filtered(x(), filter(x()), vec![]);
        assert_float(filtered.taps.clone(), place, &[-4.0]);
        assert_eq!(filtered.order, library::Order::Negated);
        let filtered = pollster::block_on(TestDispatch::promised(filtered, library::Order::Direct));
        assert_eq!(TestDispatch::named(("tag", library::Order::Direct), &filtered), "tag");
        let repeated = TestDispatch::repeated::<f32, 2>(filtered, 0.5);
        let [first, second] = repeated[0].0.clone();
        assert_float(first, place, &[-2.0]);
        assert_float(second, place, &[-2.0]);
        let count = TestDispatch::borrowed(&[x()], &library::Order::Direct);
        assert_eq!(count, 2);
    }
    let device = PlainDispatchDevice::default();
    let x = || float_on::<PlainDispatch>(&[2.0], &device);
    let filtered = PlainDispatch::filtered(x(), filter(x()), vec![library::Order::Direct]);
    assert_eq!(filtered.order, library::Order::Direct);
    assert_eq!(values::<PlainDispatch>(filtered.taps), [-4.0]);
    let device = CrateDispatchDevice::default().autodiff();
    let x = || float_on::<CrateDispatch>(&[2.0], &device);
    assert_eq!(CrateDispatch::order(&filter(x())), library::Order::Negated);
    assert_eq!(values::<CrateDispatch>(CrateDispatch::filtered(x(), filter(x()), vec![]).taps), [-4.0]);
}

#[test]
fn a_private_dispatch() {
    assert_eq!(named::doubled("npu:1"), [2.0]);
    assert_eq!(named::doubled("cpu"), [2.0]);
}

/// Two traits with an op of the same name.
mod namesakes {
    use opswitch::{FloatTensor, backend_extension, ops::FloatOps};

    #[backend_extension(dispatch = opswitch_tests::TestDispatch)]
    #[backward(none)]
    pub trait DoubleOps: FloatOps {
        fn grown(x: FloatTensor<Self>) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, 2.0)
        }
    }

    #[backend_extension(dispatch = opswitch_tests::TestDispatch)]
    #[backward(none)]
    pub trait TripleOps: FloatOps {
        fn grown(x: FloatTensor<Self>) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, 3.0)
        }
    }

    impl DoubleOps for opswitch_cpu::Cpu {}
    impl DoubleOps for opswitch_tests::Npu {}
    impl TripleOps for opswitch_cpu::Cpu {}
    impl TripleOps for opswitch_tests::Npu {}
}

#[test]
fn two_traits_with_one_op_name() {
    use namesakes::{DoubleOps, TripleOps};

    for place in PLACES {
        assert_float(<TestDispatch as DoubleOps>::grown(float(&[1.0], place)), place, &[2.0]);
        assert_float(<TestDispatch as TripleOps>::grown(float(&[1.0], place)), place, &[3.0]);
    }
}

#[test]
fn the_short_form() {
    use short::{Dispatch, DispatchDevice, ShortOps};

    for place in PLACES {
        let device: DispatchDevice = place.parse().expect("the same devices");
        let x = Dispatch::thrice(float_on::<Dispatch>(&[1.0], &device));
        assert_eq!(x.device(), device);
        assert_eq!(values::<Dispatch>(x), [3.0]);
    }
}

#[test]
fn dispatches_beside_each_other() {
    let names = |devices: Vec<String>| devices.join(" ");
    let own: Vec<String> = CrateDispatchDevice::enumerate().iter().map(ToString::to_string).collect();
    assert_eq!(names(own), "cpu");
    let bare: Vec<String> = BareDispatchDevice::enumerate().iter().map(ToString::to_string).collect();
    assert_eq!(names(bare), "npu:0 npu:1");
    assert_eq!(BareDispatch::devices(), BareDispatchDevice::enumerate());
}
