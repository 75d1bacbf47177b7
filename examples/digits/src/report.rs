//! What is printed at the end.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
};

use opswitch::DispatchDevice;
use serde::Serialize;

use crate::{
    data::CLASSES,
    options::{Model, Options},
    train::Outcome,
};

/// The line that `--json` adds.
#[derive(Serialize)]
struct Summary {
    device: String,
    model: Model,
    epochs: u32,
    seed: u64,
    train_accuracy: f64,
    test_accuracy: f64,
    seconds_per_epoch: f64,
}

/// Prints the tables, and the JSON if it is asked for. A reader that has seen enough, such as `head`, is no error.
pub(crate) fn print(options: &Options, device: &DispatchDevice, outcome: &Outcome) -> io::Result<()> {
    let mut text = tables(options, device, outcome);
    if options.json {
        text.push_str(&serde_json::to_string(&summary(options, device, outcome))?);
        text.push('\n');
    }
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn summary(options: &Options, device: &DispatchDevice, outcome: &Outcome) -> Summary {
    Summary {
        device: device.to_string(),
        model: options.model,
        epochs: options.epochs(),
        seed: options.seed,
        train_accuracy: outcome.train.confusion.accuracy(),
        test_accuracy: outcome.test.confusion.accuracy(),
        seconds_per_epoch: outcome.seconds_per_epoch,
    }
}

/// The test by class, both sets as a whole, and what the run took.
fn tables(options: &Options, device: &DispatchDevice, outcome: &Outcome) -> String {
    let mut lines = vec!["digit  images  precision   recall".to_owned()];
    let test = &outcome.test.confusion;
    for class in 0..CLASSES {
        let (precision, recall) = (test.precision(class) * 100.0, test.recall(class) * 100.0);
        lines.push(format!("{class:>5}  {:>6}  {precision:>7.1} %  {recall:>5.1} %", test.images(class)));
    }
    lines.push("\n  set  images   accuracy     loss".to_owned());
    for (name, score) in [("train", &outcome.train), ("test", &outcome.test)] {
        let confusion = &score.confusion;
        let images: usize = (0..CLASSES).map(|class| confusion.images(class)).sum();
        lines.push(format!(
            "{name:>5}  {images:>6}  {:>7.1} %  {:>7.4}",
            confusion.accuracy() * 100.0,
            score.loss
        ));
    }
    let mut text = lines.join("\n");
    let (time, out) = (outcome.seconds_per_epoch * 1e3, options.out.display());
    writeln!(text, "\n\n{time:.1} ms per epoch on {device}; pictures in {out}")
        .expect("a string takes any text");
    text
}
