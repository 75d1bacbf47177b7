//! Generated code among names that mean something else, and without a prelude.

use opswitch::{AutodiffOps, BackwardOptions, Checkpointing, Device, FloatTensor};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, TestDispatch};

use super::PLACES;

/// User types with the names that generated code might use.
#[allow(unused, reason = "names that are in the way")]
mod shadowed {
    use opswitch::{Backend, Device, ExtensionType, FloatTensor, backend_extension};

    pub struct Float;
    pub struct Int;
    pub struct Bool;
    pub struct Shape;
    pub struct TensorData;
    pub struct Vec;
    pub struct String;
    pub struct Autodiff;
    pub struct DispatchError;
    pub enum Option {
        Some,
        None,
    }
    pub enum Result {
        Ok,
        Err,
    }
    pub trait Clone {}
    pub trait Send {}
    pub trait Routed {}
    pub trait Default {}
    pub trait From {}
    pub trait Into {}
    pub trait Iterator {}
    pub trait FnMut {}

    pub fn drop() {}

    pub use self::{Option::*, Result::*};

    macro_rules! panic {
        () => {};
    }
    macro_rules! stringify {
        () => {};
    }
    macro_rules! unreachable {
        () => {};
    }
    #[derive(::core::clone::Clone, Debug, ExtensionType)]
    pub struct Wrapped<B: Backend> {
        pub x: FloatTensor<B>,
        pub route: ::core::option::Option<FloatTensor<B>>,
    }

    #[backend_extension(Cpu = opswitch_cpu::Cpu, Npu = opswitch_tests::Npu, Autodiff)]
    pub struct Shadowing;

    #[backend_extension(dispatch = Shadowing)]
    pub trait ShadowOps: opswitch::ops::FloatOps {
        #[backward {
            wrapped => Wrapped { x: grad.clone(), route: ::core::option::Option::Some(grad) };
            list => none;
        }]
        fn unwrapped(
            wrapped: Wrapped<Self>,
            list: ::std::vec::Vec<FloatTensor<Self>>,
            device: &Device<Self>,
        ) -> FloatTensor<Self>;
    }
}

/// Arguments and fields named as the locals of generated code are, without their prefix.
mod locals {
    use opswitch::{Backend, ExtensionType, FloatTensor, backend_extension, ops::FloatOps};

    #[derive(Clone, Debug, ExtensionType)]
    pub struct Fields<B: Backend> {
        pub visitor: FloatTensor<B>,
        pub change: FloatTensor<B>,
        pub error: FloatTensor<B>,
        pub lowered: FloatTensor<B>,
    }

    #[backend_extension(dispatch = opswitch_tests::TestDispatch)]
    pub trait LocalOps: FloatOps {
        #[expect(clippy::too_many_arguments, reason = "one for each name")]
        #[op(memory_bound)]
        #[backward {
            let step = B::float_mul(tape, edges);
            let shape = saved.shape();
            tape => B::float_mul(grad, B::float_mul(edges, result));
            edges => B::float_mul(B::float_mul(grad, tape), result);
            result => B::float_mul(grad, step);
            x => B::float_add(grad, B::float_zeros(x_grad.shape(), x_grad.dtype(), &x_grad.device()));
            x_grad => B::float_mul_scalar(grad, needs + again * call[0]);
            saved => B::float_reshape(B::float_mul(B::float_sub(output.clone(), output), grad), shape);
        }]
        fn product(
            tape: FloatTensor<Self>,
            edges: FloatTensor<Self>,
            result: FloatTensor<Self>,
            x: FloatTensor<Self>,
            x_grad: FloatTensor<Self>,
            saved: FloatTensor<Self>,
            needs: f64,
            again: f64,
            call: &[f64],
        ) -> FloatTensor<Self> {
            let product = Self::float_mul(Self::float_mul(tape, edges), result);
            let scaled = Self::float_mul_scalar(x_grad, needs + again * call[0]);
            Self::float_add(
                Self::float_add(product, x),
                Self::float_add(scaled, Self::float_mul_scalar(saved, 0.0)),
            )
        }

        #[backward {
            arguments => Fields {
                visitor: grad.clone(),
                change: B::float_mul(grad.clone(), arguments.error),
                error: B::float_mul(grad.clone(), arguments.change),
                lowered: grad,
            };
        }]
        fn fields(arguments: Fields<Self>) -> FloatTensor<Self> {
            let product = Self::float_mul(arguments.change, arguments.error);
            Self::float_add(Self::float_add(arguments.visitor, product), arguments.lowered)
        }
    }

    impl LocalOps for opswitch_cpu::Cpu {}
    impl LocalOps for opswitch_tests::Npu {}
}

/// Modules with the names of crates, and tensors in types with the names of ours.
#[allow(unused, reason = "names that are in the way")]
mod namesakes {
    use ::opswitch::{
        Backend, BoolTensor, Device, ExtensionType, FloatTensor, backend_extension, extend_dispatch,
    };

    mod std {}
    mod core {}
    mod alloc {}
    mod opswitch {}
    mod opswitch_core {}
    mod opswitch_macros {}

    #[derive(Clone, Debug, ExtensionType)]
    pub struct Float<Vec: Backend> {
        pub values: FloatTensor<Vec>,
    }

    #[derive(Clone, Debug, ExtensionType)]
    pub enum Option<Result: Backend> {
        None,
        Some(Bool<Result>),
    }

    #[derive(Clone, Debug, ExtensionType)]
    pub struct Bool<B: Backend>(pub BoolTensor<B>);

    #[derive(Clone, Copy, Debug, PartialEq, Eq, ExtensionType)]
    #[extension(plain)]
    pub struct Dispatch;

    #[backend_extension(Cpu = ::opswitch_cpu::Cpu, Option = ::opswitch_tests::Npu: cfg(test), Autodiff)]
    pub struct Tensor;

    #[backend_extension(dispatch = Tensor)]
    pub trait TensorOps: ::opswitch::ops::FloatOps {
        #[backward {
            float => Float { values: grad };
        }]
        fn kept(
            float: Float<Self>,
            option: Option<Self>,
            dispatch: (Dispatch, Device<Self>),
        ) -> FloatTensor<Self> {
            assert_eq!(dispatch.0, Dispatch);
            match option {
                Option::Some(Bool(mask)) => Self::float_mask_fill(float.values, mask, 0.0),
                Option::None => float.values,
            }
        }
    }

    impl TensorOps for ::opswitch_cpu::Cpu {}
    impl TensorOps for ::opswitch_tests::Npu {}

    #[backend_extension(backends = any)]
    pub trait VecOps: ::opswitch::ops::FloatOps {
        #[backward {
            float => Float { values: grad };
        }]
        fn unwrapped(float: Float<Self>, option: &Option<Self>) -> FloatTensor<Self> {
            float.values
        }
    }

    #[backend_extension]
    #[backward(none)]
    pub trait BoxOps: ::opswitch::ops::FloatOps {
        #[cfg(test)]
        fn wrapped(values: FloatTensor<Self>) -> Float<Self> {
            Float { values }
        }
    }

    impl BoxOps for ::opswitch_cpu::Cpu {}
    impl BoxOps for ::opswitch_tests::Npu {}

    extend_dispatch!(Tensor: VecOps, BoxOps);
}

/// Nothing is in scope but what is named.
mod bare {
    #![no_implicit_prelude]

    use ::opswitch::{Backend, BoolTensor, Device, ExtensionType, FloatTensor, backend_extension};

    #[derive(::core::clone::Clone, ::core::fmt::Debug, ExtensionType)]
    pub enum Either<B: Backend> {
        Left(FloatTensor<B>),
        Right { mask: BoolTensor<B>, count: usize },
    }

    #[backend_extension(
        Cpu = ::opswitch_cpu::Cpu: cfg(test),
        Npu = ::opswitch_tests::Npu,
        Autodiff,
    )]
    pub struct Bare;

    /// Ops for a dispatch elsewhere. The tool attribute `diagnostic` has no path without a prelude.
    #[backend_extension(diagnostic = none)]
    pub trait BareOps: ::opswitch::ops::FloatOps {
        #[backward {
            x => B::float_mul_scalar(grad, 2.0);
            other => none;
        }]
        fn chosen(
            x: FloatTensor<Self>,
            other: ::core::option::Option<FloatTensor<Self>>,
            device: &Device<Self>,
        ) -> ::core::result::Result<FloatTensor<Self>, ::opswitch::DispatchError>;

        #[backward(none)]
        fn either(either: Either<Self>, list: &[FloatTensor<Self>]) -> Either<Self>;

        #[backward(none)]
        #[allow(async_fn_in_trait, reason = "the trait is used here alone")]
        async fn later(x: FloatTensor<Self>) -> ::std::vec::Vec<FloatTensor<Self>>;
    }

    ::opswitch::extend_dispatch!(Bare: BareOps);

    /// Ops for the dispatch above, with what a trait of ops can have besides functions.
    #[backend_extension(dispatch = Bare, diagnostic = none)]
    #[backward(none)]
    pub trait BarePlanOps: ::opswitch::ops::FloatOps {
        type Plan: ::core::clone::Clone + ::core::marker::Send + ::core::marker::Sync + 'static;

        const TILE: usize = 2;

        fn plan(x: &FloatTensor<Self>) -> Self::Plan;
        fn run(x: FloatTensor<Self>, plan: &Self::Plan) -> FloatTensor<Self> {
            let _ = plan;
            Self::float_mul_scalar(x, Self::TILE as f64)
        }
    }

    /// A trait that declares its dispatch.
    pub mod short {
        use ::opswitch::{FloatTensor, backend_extension};

        #[backend_extension(Cpu = ::opswitch_cpu::Cpu, Autodiff, diagnostic = none)]
        pub trait ShortOps: ::opswitch::ops::FloatOps {
            #[op(memory_bound)]
            #[backward {
                x => B::float_mul(grad, output);
            }]
            fn exp(x: FloatTensor<Self>) -> FloatTensor<Self> {
                Self::float_exp(x)
            }
        }

        impl ShortOps for ::opswitch_cpu::Cpu {}
    }
}

macro_rules! kernels {
    ($backend:ty) => {
        impl shadowed::ShadowOps for $backend {
            fn unwrapped(
                wrapped: shadowed::Wrapped<Self>,
                list: Vec<FloatTensor<Self>>,
                _: &Device<Self>,
            ) -> FloatTensor<Self> {
                list.into_iter().fold(wrapped.x, <Self as opswitch::ops::FloatOps>::float_add)
            }
        }

        impl bare::BarePlanOps for $backend {
            type Plan = usize;

            fn plan(_: &FloatTensor<Self>) -> usize {
                Self::TILE
            }
        }

        impl bare::BareOps for $backend {
            fn chosen(
                x: FloatTensor<Self>,
                other: Option<FloatTensor<Self>>,
                _: &Device<Self>,
            ) -> Result<FloatTensor<Self>, opswitch::DispatchError> {
                Ok(other.unwrap_or(x))
            }

            fn either(either: bare::Either<Self>, _: &[FloatTensor<Self>]) -> bare::Either<Self> {
                either
            }

            async fn later(x: FloatTensor<Self>) -> Vec<FloatTensor<Self>> {
                vec![x]
            }
        }
    };
}

kernels!(Cpu);
kernels!(Npu);

#[test]
fn shadowed_names() {
    use shadowed::{ShadowOps, Shadowing, ShadowingDevice, Wrapped};

    for place in PLACES {
        let device: ShadowingDevice = place.parse().expect("the same devices");
        let x = || super::float_on::<Shadowing>(&[1.0], &device);
        let sum = Shadowing::unwrapped(Wrapped { x: x(), route: None }, vec![x()], &device);
        assert_eq!(super::values::<Shadowing>(sum), [2.0]);
    }
}

#[test]
fn names_of_crates_and_types() {
    use namesakes::{Bool, BoxOps, Dispatch, Float, Option, Tensor, TensorDevice, TensorOps, VecOps};

    for place in ["cpu", "autodiff(cpu)", "npu:1", "autodiff(npu:1)"] {
        let device: TensorDevice = place.parse().expect("the same devices");
        let float = || Float { values: super::float_on::<Tensor>(&[1.0, 2.0], &device) };
        let mask = <Tensor as opswitch::ops::BoolOps>::bool_full([2].into(), true, &device);
        let kept = Tensor::kept(float(), Option::Some(Bool(mask)), (Dispatch, device.clone()));
        assert_eq!(super::values::<Tensor>(kept), [0.0, 0.0]);
        let kept = Tensor::kept(float(), Option::None, (Dispatch, device.clone()));
        let same = Tensor::unwrapped(Tensor::wrapped(kept), &Option::None);
        assert_eq!(super::values::<Tensor>(same), [1.0, 2.0]);
    }
}

/// The gradients of the inputs after a walk back from `result`.
fn gradients(result: FloatTensor<TestDispatch>, inputs: &[FloatTensor<TestDispatch>]) -> Vec<Vec<f64>> {
    let gradients = TestDispatch::backward(result, None, BackwardOptions::default()).expect("it is tracked");
    let gradient = |input| TestDispatch::gradient(input, &gradients).expect("an autodiff device");
    inputs.iter().map(|input| super::values::<TestDispatch>(gradient(input).expect("there is one"))).collect()
}

#[test]
fn names_of_locals() {
    use locals::{Fields, LocalOps};

    for place in ["cpu", "npu:1"] {
        for device in
            [super::device(place).autodiff(), super::device(place).autodiff_with(Checkpointing::Balanced)]
        {
            let tracked = |value: f64| {
                let x = super::float_on::<TestDispatch>(&[value], &device);
                TestDispatch::require_grad(x).expect("an autodiff device")
            };
            let inputs = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0].map(tracked);
            let [tape, edges, factor, x, x_grad, saved] = inputs.clone();
            let result = TestDispatch::product(tape, edges, factor, x, x_grad, saved, 0.5, 2.0, &[4.0]);
            let expected = [[15.0], [10.0], [6.0], [1.0], [8.5], [0.0]];
            assert_eq!(gradients(result, &inputs), expected);

            let inputs = [2.0, 3.0, 5.0, 7.0].map(tracked);
            let [visitor, change, error, lowered] = inputs.clone();
            let result = TestDispatch::fields(Fields { visitor, change, error, lowered });
            assert_eq!(gradients(result, &inputs), [[1.0], [5.0], [3.0], [1.0]]);
        }
    }
}

#[test]
fn no_prelude() {
    use bare::{Bare, BareDevice, BareOps, BarePlanOps, Either};

    for place in PLACES {
        let device: BareDevice = place.parse().expect("the same devices");
        let x = || super::float_on::<Bare>(&[1.0], &device);
        let chosen = Bare::chosen(x(), None, &device).expect("all are here");
        assert_eq!(super::values::<Bare>(chosen), [1.0]);
        let mask = <Bare as opswitch::ops::BoolOps>::bool_full([1].into(), true, &device);
        let right = Bare::either(Either::Right { mask, count: 2 }, &[x()]);
        assert!(matches!(right, Either::Right { count: 2, .. }));
        let Either::Left(left) = Bare::either(Either::Left(x()), &[x()]) else { panic!("the variant stays") };
        assert_eq!(super::values::<Bare>(left), [1.0]);
        assert_eq!(pollster::block_on(Bare::later(x())).len(), 1);
        let planned = Bare::run(x(), &Bare::plan(&x()));
        assert_eq!(super::values::<Bare>(planned), [2.0]);
    }
    let device = bare::short::DispatchDevice::default();
    let one = <bare::short::Dispatch as bare::short::ShortOps>::exp(
        super::float_on::<bare::short::Dispatch>(&[0.0], &device),
    );
    assert_eq!(super::values::<bare::short::Dispatch>(one), [1.0]);
}
