//! The Adam optimiser (Kingma and Ba 2015, algorithm 1), with the defaults of `PyTorch`.

use opswitch::{Gradients, Tensor};

/// A trained tensor with the running means that Adam keeps for it.
pub(crate) struct Parameter<const D: usize> {
    value: Tensor<D>,
    mean: Tensor<D>,
    square: Tensor<D>,
}

impl<const D: usize> Parameter<D> {
    /// A parameter that starts with this value, on an autodiff device.
    pub(crate) fn new(value: Tensor<D>) -> Self {
        let (mean, square) = (value.zeros_like(), value.zeros_like());
        Self { value: value.require_grad(), mean, square }
    }

    pub(crate) fn value(&self) -> Tensor<D> {
        self.value.clone()
    }
}

/// One step of Adam after another, for all parameters of a model.
pub(crate) struct Adam {
    rate: f64,
    mean_decay: f64,
    square_decay: f64,
    epsilon: f64,
    step: i32,
}

impl Adam {
    pub(crate) fn new(rate: f64) -> Self {
        Self { rate, mean_decay: 0.9, square_decay: 0.999, epsilon: 1e-8, step: 0 }
    }

    /// Counts a step. Every parameter is updated once after each call.
    pub(crate) fn begin_step(&mut self) {
        self.step += 1;
    }

    /// The parameter after this step. One that the loss does not depend on stays as it is.
    pub(crate) fn update<const D: usize>(
        &self,
        parameter: Parameter<D>,
        gradients: &Gradients,
    ) -> Parameter<D> {
        let Some(grad) = parameter.value.grad(gradients) else { return parameter };
        let mean_rest = 1.0 - self.mean_decay;
        let square_rest = 1.0 - self.square_decay;
        let mean = parameter.mean * self.mean_decay + &grad * mean_rest;
        let square = parameter.square * self.square_decay + grad.square() * square_rest;
        // Both means start at 0; dividing by these takes that bias out.
        let mean_weight = 1.0 - self.mean_decay.powi(self.step);
        let square_weight = 1.0 - self.square_decay.powi(self.step);
        let deviation = square.clone().sqrt() / square_weight.sqrt() + self.epsilon;
        let value = parameter.value.detach() - &mean * (self.rate / mean_weight) / deviation;
        Parameter { value: value.require_grad(), mean, square }
    }
}
