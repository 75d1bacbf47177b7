//! The network: 64 pixels, hidden layers of 128 and 64, 10 classes.

use opswitch::{Dispatch, DispatchDevice, Gradients, Tensor};
use rand::{Rng, RngExt};

use crate::{
    adam::{Adam, Parameter},
    data::{CLASSES, PIXELS},
    fused::FusedOps,
};

/// Two hidden layers with `ReLU`, and a linear one that gives the logits.
pub(crate) struct Network {
    first: Linear,
    second: Linear,
    last: Linear,
}

impl Network {
    /// A network with random parameters, on an autodiff device.
    pub(crate) fn new(rng: &mut impl Rng, device: &DispatchDevice) -> Self {
        Self {
            first: Linear::new(PIXELS, 128, rng, device),
            second: Linear::new(128, 64, rng, device),
            last: Linear::new(64, CLASSES, rng, device),
        }
    }

    /// The logits of the classes for a batch of images, one a row.
    pub(crate) fn logits(&self, images: Tensor<2>) -> Tensor<2> {
        let hidden = self.first.apply_with_relu(images);
        let hidden = self.second.apply_with_relu(hidden);
        self.last.apply(hidden)
    }

    /// The network after a step of the optimiser.
    pub(crate) fn step(self, adam: &mut Adam, gradients: &Gradients) -> Self {
        adam.begin_step();
        Self {
            first: self.first.step(adam, gradients),
            second: self.second.step(adam, gradients),
            last: self.last.step(adam, gradients),
        }
    }
}

/// x weight + bias, with a weight of shape `[inputs, outputs]`.
struct Linear {
    weight: Parameter<2>,
    bias: Parameter<1>,
}

impl Linear {
    /// `PyTorch`'s initialisation: everything uniform within 1 / sqrt(inputs) of 0.
    ///
    /// The numbers come from the host, so that a seed gives the same network on every backend.
    fn new(inputs: usize, outputs: usize, rng: &mut impl Rng, device: &DispatchDevice) -> Self {
        let bound = 1.0 / (inputs as f32).sqrt();
        let mut uniform =
            |count| -> Vec<f32> { (0..count).map(|_| rng.random_range(-bound..bound)).collect() };
        let weight = Tensor::from_values(uniform(inputs * outputs), [inputs, outputs], device);
        let bias = Tensor::from_values(uniform(outputs), [outputs], device);
        Self { weight: Parameter::new(weight), bias: Parameter::new(bias) }
    }

    fn apply(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.value()) + self.bias.value().unsqueeze()
    }

    /// The layer and its `ReLU` in one op, the one that this example declares.
    fn apply_with_relu(&self, x: Tensor<2>) -> Tensor<2> {
        let (weight, bias) = (self.weight.value(), self.bias.value());
        Tensor::from_primitive(Dispatch::matmul_add_relu(
            x.into_primitive(),
            weight.into_primitive(),
            Some(bias.into_primitive()),
        ))
    }

    fn step(self, adam: &Adam, gradients: &Gradients) -> Self {
        Self { weight: adam.update(self.weight, gradients), bias: adam.update(self.bias, gradients) }
    }
}
