//! The layers that networks are made of.

use opswitch::{
    Dispatch, DispatchDevice, Gradients, Tensor,
    ops::{ConvOptions, MaxPoolOptions},
};
use rand::{Rng, RngExt};

use crate::{
    adam::{Adam, Parameter},
    fused::FusedOps,
};

/// x weight + bias, with a weight of shape `[inputs, outputs]`.
pub(crate) struct Linear {
    weight: Parameter<2>,
    bias: Parameter<1>,
}

impl Linear {
    pub(crate) fn new(inputs: usize, outputs: usize, rng: &mut impl Rng, device: &DispatchDevice) -> Self {
        let weight = uniform([inputs, outputs], inputs, rng, device);
        Self { weight, bias: uniform([outputs], inputs, rng, device) }
    }

    pub(crate) fn apply(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.value()) + self.bias.value().unsqueeze()
    }

    /// The layer and its `ReLU` in one op, the one that this example declares.
    pub(crate) fn apply_with_relu(&self, x: Tensor<2>) -> Tensor<2> {
        let (weight, bias) = (self.weight.value(), self.bias.value());
        Tensor::from_primitive(Dispatch::matmul_add_relu(
            x.into_primitive(),
            weight.into_primitive(),
            Some(bias.into_primitive()),
        ))
    }

    pub(crate) fn step(self, adam: &Adam, gradients: &Gradients) -> Self {
        Self { weight: adam.update(self.weight, gradients), bias: adam.update(self.bias, gradients) }
    }
}

/// A convolution of 3x3 that keeps the size of its images, with a weight of shape `[outputs, inputs, 3, 3]`.
pub(crate) struct Convolution {
    weight: Parameter<4>,
    bias: Parameter<1>,
}

impl Convolution {
    pub(crate) fn new(inputs: usize, outputs: usize, rng: &mut impl Rng, device: &DispatchDevice) -> Self {
        let weight = uniform([outputs, inputs, 3, 3], inputs * 9, rng, device);
        Self { weight, bias: uniform([outputs], inputs * 9, rng, device) }
    }

    /// The layer, its `ReLU`, and the greatest of each 2x2 elements: images of half the size.
    pub(crate) fn apply_with_relu_and_pool(&self, x: Tensor<4>) -> Tensor<4> {
        let options = ConvOptions { padding: [1, 1], ..ConvOptions::default() };
        let y = x.conv2d(self.weight.value(), Some(self.bias.value()), options);
        y.relu().max_pool2d(MaxPoolOptions::new([2, 2]))
    }

    pub(crate) fn step(self, adam: &Adam, gradients: &Gradients) -> Self {
        Self { weight: adam.update(self.weight, gradients), bias: adam.update(self.bias, gradients) }
    }
}

/// `PyTorch`'s initialisation: everything uniform within 1 / sqrt(inputs) of 0.
///
/// The numbers come from the host, so that a seed gives the same network on every backend.
fn uniform<const D: usize>(
    shape: [usize; D],
    inputs: usize,
    rng: &mut impl Rng,
    device: &DispatchDevice,
) -> Parameter<D> {
    let bound = 1.0 / (inputs as f32).sqrt();
    let count = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|_| rng.random_range(-bound..bound)).collect();
    Parameter::new(Tensor::from_values(values, shape, device))
}
