//! Trains a classifier of handwritten digits through an op that this program declares itself.
//!
//! | file | holds |
//! |---|---|
//! | `fused` | the op: its signature and its gradient |
//! | `fused_cpu`, `fused_wgpu`, `fused_cube` | the op's kernels: for the CPU, in WGSL, and in CubeCL |
//! | `layers`, `model` | two networks, and what they are made of |
//! | `adam`, `train` | their optimiser, and the loop around both |
//! | `data`, `metrics` | what goes in, and how the result is counted |
//! | `options`, `output`, `plots`, `report` | the command line, files, pictures and text |

mod adam;
mod data;
mod fused;
mod fused_cpu;
#[cfg(feature = "cube")]
mod fused_cube;
#[cfg(test)]
mod fused_tests;
#[cfg(feature = "wgpu")]
mod fused_wgpu;
mod layers;
mod metrics;
mod model;
mod options;
mod output;
mod plots;
mod report;
mod train;

use std::{error::Error, process::ExitCode};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use opswitch::{DeviceTable, Dispatch};

use crate::{data::Digits, options::Options, train::train};

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if options.list_devices {
        print!("{}", DeviceTable::of::<Dispatch>());
        return Ok(());
    }
    let device = options.device()?;
    let digits = Digits::load(options.data.as_deref())?;
    output::check_writable(&options.out)?;

    let bar = progress_bar(options.epochs())?;
    let autodiff = device.autodiff_with(options.checkpointing());
    let (model, epochs) = (options.model, options.epochs() as usize);
    let outcome = train(&digits, &autodiff, model, epochs, options.seed, |epoch| {
        bar.set_message(format!("loss {:.4}, test {:.1} %", epoch.train_loss, epoch.test_accuracy * 100.0));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let outcome = outcome?;

    let loss = plots::loss(&outcome.history)?;
    let confusion = plots::confusion(&outcome.test.confusion)?;
    output::write_all(&options.out, &[("loss.svg", loss), ("confusion.svg", confusion)])?;
    report::print(options, &device, &outcome)?;
    Ok(())
}

/// A bar on stderr, which stays hidden where that is no terminal.
fn progress_bar(epochs: u32) -> Result<ProgressBar, Box<dyn Error>> {
    let style = ProgressStyle::with_template("epoch {pos}/{len} [{wide_bar}] {msg}")?;
    Ok(ProgressBar::new(epochs.into()).with_style(style.progress_chars("=> ")))
}
