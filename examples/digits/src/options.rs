//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum, value_parser};
use opswitch::{Checkpointing, DispatchDevice, DispatchError};
use serde::Serialize;

/// Train a classifier of handwritten digits, and draw how it went.
#[derive(Parser)]
#[command(version)]
pub(crate) struct Options {
    /// Where to compute, such as `cpu` [default: the first device of this machine].
    #[arg(long, env = "OPSWITCH_DEVICE")]
    device: Option<String>,

    /// Print the devices of this machine, and end.
    #[arg(long)]
    pub(crate) list_devices: bool,

    /// The network to train.
    #[arg(long, value_enum, default_value_t = Model::Mlp)]
    pub(crate) model: Model,

    /// How many times to go over the training data [default: 60, or 30 for `cnn`].
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    epochs: Option<u32>,

    /// Determines the first parameters and the order of the data.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Whether cheap ops are computed again in the backward pass, to save memory.
    #[arg(long, value_enum, default_value_t = Checkpoint::Off)]
    checkpoint: Checkpoint,

    /// The folder for `loss.svg` and `confusion.svg`; it is made if need be.
    #[arg(long, value_name = "DIR", default_value = "digits-out")]
    pub(crate) out: PathBuf,

    /// Gzipped CSV to use in place of the digits that this program carries.
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,

    /// End the output with one line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A kind of network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Model {
    /// Matrix products: 64 inputs, hidden layers of 128 and 64.
    Mlp,
    /// Convolutions: 3x3 to 16 channels, 3x3 to 32, each with pooling.
    Cnn,
}

#[derive(Clone, Copy, ValueEnum)]
enum Checkpoint {
    Balanced,
    Off,
}

impl Options {
    /// The device that was asked for, plain: `autodiff(cpu)` is `cpu`, since training adds the autodiff.
    pub(crate) fn device(&self) -> Result<DispatchDevice, DispatchError> {
        let device = match &self.device {
            Some(text) => text.parse::<DispatchDevice>()?,
            None => DispatchDevice::default(),
        };
        Ok(device.inner())
    }

    /// What was asked for, or enough for the loss to settle.
    pub(crate) fn epochs(&self) -> u32 {
        self.epochs.unwrap_or(match self.model {
            Model::Mlp => 60,
            Model::Cnn => 30,
        })
    }

    pub(crate) fn checkpointing(&self) -> Checkpointing {
        match self.checkpoint {
            Checkpoint::Balanced => Checkpointing::Balanced,
            Checkpoint::Off => Checkpointing::Off,
        }
    }
}
