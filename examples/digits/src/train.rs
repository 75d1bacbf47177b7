//! Training and testing.

use std::time::{Duration, Instant};

use opswitch::{DataError, DispatchDevice, Int, Tensor, Transaction, ops::CrossEntropy};
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::{
    adam::Adam,
    data::{Digits, PIXELS, Samples},
    metrics::Confusion,
    model::Network,
    options::Model,
};

const BATCH: usize = 64;
const LEARNING_RATE: f64 = 1e-3;

/// What a training run gives.
pub(crate) struct Outcome {
    /// The losses after each epoch.
    pub(crate) history: Vec<Epoch>,
    /// How the trained network does on the rows it was trained on.
    pub(crate) train: Score,
    /// How it does on the others.
    pub(crate) test: Score,
    /// The time that an epoch's training steps took, on average.
    pub(crate) seconds_per_epoch: f64,
}

/// Mean losses of one epoch.
pub(crate) struct Epoch {
    pub(crate) number: usize,
    /// Over the batches, each before its step.
    pub(crate) train_loss: f64,
    /// After the last step.
    pub(crate) test_loss: f64,
    pub(crate) test_accuracy: f64,
}

/// How a network does on a set.
pub(crate) struct Score {
    pub(crate) loss: f64,
    pub(crate) confusion: Confusion,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub(crate) enum TrainError {
    #[error(
        "the loss became {loss} in epoch {epoch}: training diverged, and nothing was written; try another seed"
    )]
    Diverged { epoch: usize, loss: f64 },
    #[error(transparent)]
    Device(#[from] DataError),
}

/// Trains a network from scratch on an autodiff device, and calls `on_epoch` after each epoch. Model, seed, device and
/// number of epochs determine the result.
pub(crate) fn train(
    digits: &Digits,
    device: &DispatchDevice,
    model: Model,
    epochs: usize,
    seed: u64,
    mut on_epoch: impl FnMut(&Epoch),
) -> Result<Outcome, TrainError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (train, test) = (Set::new(&digits.train, device), Set::new(&digits.test, device));
    let mut network = Network::new(model, &mut rng, device);
    let mut adam = Adam::new(LEARNING_RATE);
    let mut order: Vec<i32> = (0..digits.train.len() as i32).collect();
    let mut history = Vec::new();
    let mut time = Duration::ZERO;
    for number in 1..=epochs {
        order.shuffle(&mut rng);
        let start = Instant::now();
        let train_loss;
        (network, train_loss) = train_epoch(network, &mut adam, &train.in_order(&order))?;
        time += start.elapsed();
        let score = test.score(&network)?;
        for loss in [train_loss, score.loss] {
            if !loss.is_finite() {
                return Err(TrainError::Diverged { epoch: number, loss });
            }
        }
        let epoch =
            Epoch { number, train_loss, test_loss: score.loss, test_accuracy: score.confusion.accuracy() };
        on_epoch(&epoch);
        history.push(epoch);
    }
    let seconds_per_epoch = time.as_secs_f64() / epochs as f64;
    Ok(Outcome { history, train: train.score(&network)?, test: test.score(&network)?, seconds_per_epoch })
}

/// One step for each batch of the set. The loss is summed on the device, so that no step waits for it to be read.
fn train_epoch(mut network: Network, adam: &mut Adam, set: &Set) -> Result<(Network, f64), DataError> {
    let mut total = Tensor::<0>::zeros([], &set.images.device());
    for (images, labels) in set.batches() {
        let count = labels.num_elements();
        let loss = network.logits(images).cross_entropy(labels, CrossEntropy::default());
        let gradients = loss.backward();
        network = network.step(adam, &gradients);
        total = total + loss.detach() * count;
    }
    let mean = total / set.labels.num_elements();
    Ok((network, mean.into_scalar()?))
}

/// Samples on a device. Ints are of 32 bits, which every device has.
struct Set {
    images: Tensor<2>,
    labels: Tensor<1, Int>,
}

impl Set {
    fn new(samples: &Samples, device: &DispatchDevice) -> Self {
        let images = Tensor::from_values(samples.images.clone(), [samples.len(), PIXELS], device);
        let labels = Tensor::from_values(samples.labels.clone(), [samples.len()], device);
        Self { images, labels }
    }

    /// The samples with these indices.
    fn in_order(&self, order: &[i32]) -> Self {
        let order: Tensor<1, Int> = Tensor::from_values(order, [order.len()], &self.images.device());
        Self {
            images: self.images.clone().select(0, order.clone()),
            labels: self.labels.clone().select(0, order),
        }
    }

    /// The samples in pieces; the last one holds what is left.
    fn batches(&self) -> impl Iterator<Item = (Tensor<2>, Tensor<1, Int>)> {
        self.images.clone().split(BATCH, 0).into_iter().zip(self.labels.clone().split(BATCH, 0))
    }

    fn score(&self, network: &Network) -> Result<Score, DataError> {
        let logits = network.logits(self.images.clone()).detach();
        let predicted = logits.clone().argmax(1);
        let loss = logits.cross_entropy(self.labels.clone(), CrossEntropy::default());
        let read = Transaction::new().read(loss).read(self.labels.clone()).read(predicted).into_data()?;
        let [loss, labels, predicted] = read.try_into().expect("three tensors are asked for");
        Ok(Score { loss: loss.to_vec()[0], confusion: Confusion::new(&labels.to_vec(), &predicted.to_vec()) })
    }
}

#[cfg(test)]
mod tests {
    use opswitch::Checkpointing;

    use super::*;

    fn device(checkpointing: Checkpointing) -> DispatchDevice {
        "cpu".parse::<DispatchDevice>().unwrap().autodiff_with(checkpointing)
    }

    const MODELS: [Model; 2] = [Model::Mlp, Model::Cnn];

    fn losses(model: Model, seed: u64, checkpointing: Checkpointing) -> Vec<(f64, f64)> {
        let digits = Digits::load(None).unwrap();
        let outcome = train(&digits, &device(checkpointing), model, 2, seed, |_| {}).unwrap();
        outcome.history.iter().map(|epoch| (epoch.train_loss, epoch.test_loss)).collect()
    }

    #[test]
    fn the_seed_alone_determines_the_result() {
        for model in MODELS {
            let first = losses(model, 7, Checkpointing::Off);
            assert_eq!(losses(model, 7, Checkpointing::Off), first);
            assert_eq!(losses(model, 7, Checkpointing::Balanced), first);
            assert_ne!(losses(model, 8, Checkpointing::Off), first);
        }
    }

    /// A GPU rounds sums in another order, and its kernels are others: the network it ends with is a bit another.
    #[cfg(any(feature = "wgpu", feature = "cube"))]
    #[test]
    fn every_device_learns_as_much() {
        const EPOCHS: usize = 15;
        let digits = Digits::load(None).unwrap();
        let accuracy = |device: &DispatchDevice| {
            let outcome = train(&digits, &device.autodiff(), Model::Mlp, EPOCHS, 1, |_| {}).unwrap();
            outcome.test.confusion.accuracy()
        };
        let devices = DispatchDevice::enumerate();
        let cpu = accuracy(&devices[0]);
        assert!(cpu > 0.8, "{cpu}");
        for device in &devices[1..] {
            let found = accuracy(device);
            assert!((found - cpu).abs() <= 0.01, "{device} recognises {found}, the CPU {cpu}");
        }
    }

    #[test]
    fn the_first_loss_is_that_of_a_guess() {
        let digits = Digits::load(None).unwrap();
        let device = device(Checkpointing::Off);
        for model in MODELS {
            let network = Network::new(model, &mut ChaCha8Rng::seed_from_u64(1), &device);
            let loss = Set::new(&digits.test, &device).score(&network).unwrap().loss;
            assert!((loss - 10_f64.ln()).abs() < 0.05, "{model:?}: {loss}");
        }
    }

    #[test]
    fn a_loss_that_is_no_number_ends_the_run() {
        let mut digits = Digits::load(None).unwrap();
        digits.train.images[100] = f32::NAN;
        for model in MODELS {
            let error = train(&digits, &device(Checkpointing::Off), model, 2, 1, |_| {}).err().unwrap();
            assert!(error.to_string().starts_with("the loss became NaN in epoch 1"), "{error}");
        }
    }
}
