//! A consumer without a dependency on opswitch: it reaches it through the library `flash`, which calls it `engine`.

use flash::engine::{
    Backend, Device, ExtensionType, FloatTensor, IntTensor, backend_extension, extend_dispatch, ops::FloatOps,
};
use opswitch_cpu::Cpu;

/// A dispatch, its backends and their ops.
#[backend_extension(
    crate = flash::engine,
    Cpu,
    Missing = nowhere::Missing: cfg(any()),
    Autodiff,
)]
pub struct Engine;

extend_dispatch!(crate = flash::engine; Engine: flash::FlashOps, LagOps);

/// A signal, and how it is read.
#[derive(Clone, Debug, ExtensionType)]
#[extension(crate = flash::engine)]
pub struct Signal<B: Backend> {
    /// The values.
    pub values: FloatTensor<B>,
    /// Which of them.
    pub index: Option<IntTensor<B>>,
    /// How.
    pub order: Order,
}

/// The order in which a signal is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ExtensionType)]
#[extension(plain, crate = flash::engine)]
pub enum Order {
    /// As it is.
    Forward,
    /// From its end.
    Backward,
}

/// Ops on that dispatch.
#[backend_extension(crate = flash::engine, dispatch = Engine)]
pub trait SignalOps: FloatOps {
    /// The chosen values.
    #[backward {
        signal => Signal { values: B::float_select_add(zeros_like::<B>(&signal), 0, chosen(&signal), grad), ..signal };
    }]
    fn read(signal: Signal<Self>) -> FloatTensor<Self>;

    /// The order, for a value on the device.
    #[backward(none)]
    fn ordered(order: (Order, Device<Self>)) -> (Order, Device<Self>) {
        order
    }
}

impl SignalOps for Cpu {
    fn read(signal: Signal<Self>) -> FloatTensor<Self> {
        let values = match signal.index {
            Some(index) => Self::float_select(signal.values, 0, index),
            None => signal.values,
        };
        if signal.order == Order::Backward { Self::float_flip(values, &[0]) } else { values }
    }
}

fn chosen<B: FloatOps>(signal: &Signal<B>) -> IntTensor<B> {
    signal.index.clone().expect("this gradient is for signals with an index")
}

fn zeros_like<B: FloatOps>(signal: &Signal<B>) -> FloatTensor<B> {
    B::float_mul_scalar(signal.values.clone(), 0.0)
}

/// Ops for any dispatch.
#[backend_extension(crate = flash::engine)]
pub trait LagOps: FloatOps {
    /// `lhs - rhs`
    #[backward {
        lhs => grad;
        rhs => B::float_neg(grad);
    }]
    fn lag(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_sub(lhs, rhs)
    }
}

impl LagOps for Cpu {}

/// The short form, in a module of its own since it declares `Dispatch` too.
pub mod short {
    use super::{Cpu, FloatOps, FloatTensor, backend_extension};

    /// Ops, and the dispatch that they are on.
    #[backend_extension(crate = flash::engine, Cpu, Autodiff)]
    pub trait TwiceOps: FloatOps {
        /// `2x`
        #[backward { x => B::float_mul_scalar(grad, 2.0); }]
        fn twice(x: FloatTensor<Self>) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, 2.0)
        }
    }

    impl TwiceOps for Cpu {}
}

#[cfg(test)]
mod tests {
    use flash::{
        FlashOps,
        engine::{Backend, Float, Int, Tensor},
    };

    use super::{
        Engine, EngineDevice, LagOps, Order, Signal, SignalOps,
        short::{Dispatch, DispatchDevice, TwiceOps},
    };

    fn floats(x: impl Into<Vec<f64>>, device: &EngineDevice) -> Tensor<1, Float, Engine> {
        let x = x.into();
        let len = x.len();
        Tensor::from_values(x, [len], device)
    }

    #[test]
    fn everything_works_through_the_other_crate() {
        let device: EngineDevice = "autodiff(cpu)".parse().expect("it is listed");
        let x = floats([1.0, 2.0, 3.0], &device).require_grad();
        let index = Tensor::<1, Int, Engine>::from_ints([2, 0], &device.inner());
        let signal = Signal {
            values: x.primitive().clone(),
            index: Some(index.into_primitive()),
            order: Order::Forward,
        };
        let read = Engine::cap(Engine::read(signal), 1e9);
        let lag = Engine::lag(read, floats([1.0, 1.0], &device).into_primitive());
        let lag = Tensor::<1, Float, Engine>::from_primitive(lag);
        let gradients = (lag.clone() * floats([5.0, 7.0], &device)).sum().backward();
        for (found, expected) in lag.to_vec::<f64>().expect("no device fails").iter().zip([2.0, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
        }
        let gradient = x.grad(&gradients).expect("the result depends on it").to_vec::<f64>();
        for (found, expected) in gradient.expect("no device fails").iter().zip([7.0, 0.0, 5.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
        }
        assert_eq!(Engine::ordered((Order::Backward, device.clone())), (Order::Backward, device));
    }

    #[test]
    fn the_short_form() {
        for text in ["cpu", "autodiff(cpu)"] {
            let device: DispatchDevice = text.parse().expect("it is listed");
            let x = Tensor::<1, Float, Dispatch>::from_floats([1.5], &device);
            let twice = Tensor::<1, Float, Dispatch>::from_primitive(Dispatch::twice(x.into_primitive()));
            assert_eq!(twice.to_vec::<f32>().expect("no device fails"), [3.0]);
        }
        assert_eq!(Engine::devices().len(), 1);
    }
}
