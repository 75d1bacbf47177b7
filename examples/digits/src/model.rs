//! The networks, which tell the 10 classes apart by the 64 pixels of an image.

use opswitch::{DispatchDevice, Gradients, Tensor};
use rand::Rng;

use crate::{
    adam::Adam,
    data::{CLASSES, PIXELS},
    layers::{Convolution, Linear},
    options::Model,
};

/// A network, as a list of its layers.
pub(crate) enum Network {
    /// Hidden layers of 128 and 64 with `ReLU`, and a linear one that gives the logits.
    Mlp { first: Linear, second: Linear, last: Linear },
    /// Convolutions to 16 and 32 channels, each with `ReLU` and pooling, and a linear layer that gives the logits.
    Cnn { first: Convolution, second: Convolution, last: Linear },
}

impl Network {
    /// A network with random parameters, on an autodiff device.
    pub(crate) fn new(model: Model, rng: &mut impl Rng, device: &DispatchDevice) -> Self {
        match model {
            Model::Mlp => Self::Mlp {
                first: Linear::new(PIXELS, 128, rng, device),
                second: Linear::new(128, 64, rng, device),
                last: Linear::new(64, CLASSES, rng, device),
            },
            Model::Cnn => Self::Cnn {
                first: Convolution::new(1, 16, rng, device),
                second: Convolution::new(16, 32, rng, device),
                // What is left of 8x8 pixels after pooling twice.
                last: Linear::new(32 * 2 * 2, CLASSES, rng, device),
            },
        }
    }

    /// The logits of the classes for a batch of images, one a row.
    pub(crate) fn logits(&self, images: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Mlp { first, second, last } => {
                let hidden = first.apply_with_relu(images);
                last.apply(second.apply_with_relu(hidden))
            }
            Self::Cnn { first, second, last } => {
                let hidden = first.apply_with_relu_and_pool(images.reshape([-1, 1, 8, 8]));
                let hidden = second.apply_with_relu_and_pool(hidden);
                last.apply(hidden.flatten(1, 3))
            }
        }
    }

    /// The network after a step of the optimiser.
    pub(crate) fn step(self, adam: &mut Adam, gradients: &Gradients) -> Self {
        adam.begin_step();
        match self {
            Self::Mlp { first, second, last } => Self::Mlp {
                first: first.step(adam, gradients),
                second: second.step(adam, gradients),
                last: last.step(adam, gradients),
            },
            Self::Cnn { first, second, last } => Self::Cnn {
                first: first.step(adam, gradients),
                second: second.step(adam, gradients),
                last: last.step(adam, gradients),
            },
        }
    }
}
