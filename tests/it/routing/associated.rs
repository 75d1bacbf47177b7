//! Associated types and constants: a dispatch's type is one of its backends', autodiff's that of the backend inside.

use opswitch::{
    AutodiffOps, Backend, BackwardOptions, Device, DispatchError, FloatTensor, Opaque, backend_extension,
    extend_dispatch, ops::FloatOps,
};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, PlainDispatch, TestDispatch};

use super::{PLACES, assert_float, device, float, float_on, values};

/// A library: its trait is routed elsewhere.
mod library {
    use super::{Device, DispatchError, FloatOps, FloatTensor, backend_extension};

    #[backend_extension]
    pub trait PlanOps: FloatOps {
        type Plan: Clone + std::fmt::Debug + PartialEq + Send + Sync + 'static;

        /// How many values one step handles.
        const TILE: usize = 16;

        #[backward(none)]
        fn plan(factor: f64, device: &Device<Self>) -> Self::Plan;

        #[backward {
            x => B::run(grad, &plan, None);
        }]
        fn run(x: FloatTensor<Self>, plan: &Self::Plan, then: Option<Self::Plan>) -> FloatTensor<Self>;

        #[backward(none)]
        fn tried(x: FloatTensor<Self>, plan: Self::Plan) -> Result<FloatTensor<Self>, DispatchError>;

        #[backward(none)]
        fn plans(x: &FloatTensor<Self>) -> (Vec<Self::Plan>, usize);
    }
}

use library::PlanOps;

/// What the CPU plans.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuPlan {
    factor: f64,
}

macro_rules! kernels {
    ($backend:ty, $plan:ty, $tile:literal, |$factor:ident| $make:expr, |$made:ident| $read:expr) => {
        impl PlanOps for $backend {
            type Plan = $plan;

            const TILE: usize = $tile;

            fn plan($factor: f64, _: &Device<Self>) -> $plan {
                $make
            }

            fn run(x: FloatTensor<Self>, $made: &$plan, then: Option<$plan>) -> FloatTensor<Self> {
                let x = Self::float_mul_scalar(x, $read);
                match then {
                    Some(then) => Self::run(x, &then, None),
                    None => x,
                }
            }

            fn tried(x: FloatTensor<Self>, plan: $plan) -> Result<FloatTensor<Self>, DispatchError> {
                Ok(Self::run(x, &plan, None))
            }

            fn plans(_: &FloatTensor<Self>) -> (Vec<$plan>, usize) {
                ([1.0, 2.0].map(|$factor| $make).into(), Self::TILE)
            }
        }
    };
}

kernels!(Cpu, CpuPlan, 8, |factor| CpuPlan { factor }, |plan| plan.factor);
kernels!(Npu, Vec<String>, 32, |factor| vec![factor.to_string()], |plan| plan[0].parse().expect("a number"));

extend_dispatch!(TestDispatch: library::PlanOps);
extend_dispatch!(PlainDispatch: library::PlanOps);

#[test]
fn a_type_of_each_backend() {
    for place in PLACES {
        let plan = TestDispatch::plan(3.0, &device(place));
        let twice = TestDispatch::plan(2.0, &device(place));
        assert_float(TestDispatch::run(float(&[1.0], place), &plan, None), place, &[3.0]);
        assert_float(TestDispatch::run(float(&[1.0], place), &plan, Some(twice)), place, &[6.0]);
        let tried = TestDispatch::tried(float(&[1.0], place), plan.clone()).expect("of this backend");
        assert_float(tried, place, &[3.0]);
        let (plans, _) = TestDispatch::plans(&float(&[1.0], place));
        assert_eq!(plans.len(), 2);
        assert_eq!(plans[0], TestDispatch::plan(1.0, &device(place)));
        assert_ne!(plans[1], plan);
    }
    let device = "cpu".parse().expect("a device");
    let plan = PlainDispatch::plan(3.0, &device);
    let run = PlainDispatch::run(float_on::<PlainDispatch>(&[1.0], &device), &plan, None);
    assert_eq!(values::<PlainDispatch>(run), [3.0]);
}

#[test]
fn a_plan_goes_with_and_without_autodiff() {
    let plan = TestDispatch::plan(3.0, &device("cpu"));
    assert_float(TestDispatch::run(float(&[1.0], "autodiff(cpu)"), &plan, None), "autodiff(cpu)", &[3.0]);
    assert_eq!(format!("{plan:?}"), "Cpu(CpuPlan { factor: 3.0 })");
}

#[test]
fn a_formula_reads_it() {
    for place in ["autodiff(cpu)", "autodiff(npu:1)"] {
        let x = TestDispatch::require_grad(float(&[1.0, 2.0], place)).expect("an autodiff device");
        let plan = TestDispatch::plan(5.0, &device(place));
        let y = TestDispatch::float_sum(TestDispatch::run(x.clone(), &plan, None), &[0], false);
        let gradients = TestDispatch::backward(y, None, BackwardOptions::default()).expect("it is tracked");
        let gradient = TestDispatch::gradient(&x, &gradients).expect("an autodiff device");
        assert_eq!(values::<TestDispatch>(gradient.expect("x is tracked")), [5.0, 5.0]);
    }
}

#[test]
fn a_plan_of_another_backend() {
    let plan = TestDispatch::plan(3.0, &device("npu"));
    let error = TestDispatch::tried(float(&[1.0], "cpu"), plan).expect_err("the plan is the other backend's");
    assert_eq!(
        error.to_string(),
        "Tensor is on the wrong backend (expected cpu).\n\
         \x20 op:       PlanOps::tried\n\
         \x20 argument: plan\n\
         \x20 expected: cpu\n\
         \x20 found:    npu\n\
         \x20 help:     this value was made by an op on another backend; make one with the device of the tensors"
    );
}

#[test]
fn constants_of_each_backend() {
    assert_eq!(<TestDispatch as PlanOps>::TILE, 16, "a dispatch says what the trait says");
    assert_eq!((Cpu::TILE, <opswitch::Autodiff<Npu> as PlanOps>::TILE), (8, 32));
    let (plans, tile) = TestDispatch::plans(&float(&[1.0], "autodiff(npu:0)"));
    assert_eq!((plans.len(), tile), (2, 32));
}

/// In the crate of its dispatch, with a hand-written implementation for autodiff.
mod by_hand {
    use super::{Backend, Cpu, Device, FloatOps, FloatTensor, Npu, Opaque, TestDispatch, backend_extension};

    #[backend_extension(dispatch = TestDispatch)]
    pub(super) trait CacheOps: FloatOps {
        type Cache: Clone + Copy + Eq + std::hash::Hash + PartialEq + Send + Sync + 'static;

        fn cache(device: &Device<Self>) -> <Self as CacheOps>::Cache;
        fn read(x: FloatTensor<Self>, cache: [Self::Cache; 2]) -> FloatTensor<Self>;
    }

    impl CacheOps for Cpu {
        type Cache = u8;

        fn cache(_: &Device<Self>) -> u8 {
            2
        }

        fn read(x: FloatTensor<Self>, cache: [u8; 2]) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, f64::from(cache[0] * cache[1]))
        }
    }

    impl CacheOps for Npu {
        type Cache = &'static str;

        fn cache(_: &Device<Self>) -> &'static str {
            Self::NAME
        }

        fn read(x: FloatTensor<Self>, cache: [&'static str; 2]) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, cache.concat().len() as f64)
        }
    }

    impl<B: CacheOps + opswitch::PlainBackend> CacheOps for opswitch::Autodiff<B> {
        type Cache = Opaque<B::Cache>;

        fn cache(device: &Device<Self>) -> Opaque<B::Cache> {
            Opaque(B::cache(device.inner()))
        }

        fn read(x: FloatTensor<Self>, _: [Opaque<B::Cache>; 2]) -> FloatTensor<Self> {
            x
        }
    }
}

#[test]
fn with_autodiff_by_hand() {
    use by_hand::CacheOps;

    for (place, expected) in [("cpu", 4.0), ("npu:1", 6.0), ("autodiff(cpu)", 1.0)] {
        let cache = TestDispatch::cache(&device(place));
        assert_float(TestDispatch::read(float(&[1.0], place), [cache; 2]), place, &[expected]);
    }
}
