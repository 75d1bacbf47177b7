//! `cargo xtask bench macro`: what a trait of ops over three backends costs to compile, beside the same trait under burn's
//! macro.
//!
//! Both sides are crates of `benches/macro`, whose dependencies are built before anything is measured. Then each crate is
//! compiled alone, the two sides in turn, and the processor time is compared: on a shared machine it says more than the clock.

#[path = "../../../benches/macro/ops.rs"]
mod ops;

use std::{
    fs::File,
    io,
    path::PathBuf,
    process::{Command, Stdio},
    time::SystemTime,
};

use crate::run::{Failure, root};

/// How often each crate is compiled.
const REPETITIONS: usize = 3;

/// What the numbers hold.
const NOTES: &str = "
Each side is a crate with the trait and a kernel of each op for each backend, which calls the backend's own product. The
dispatch is declared in a dependency, and not measured. Burn's macro writes no backward pass: it is written by hand, and
counts as such. Emitted are the lines after expansion by the compiler, less those of the same crate without the macro.
Seconds are processor time in user mode, of the crate alone: the least of all repetitions, and the median.";

/// The names of the two sides' folders, ours first, and what each writes.
const SIDES: [(&str, ops::Side); 2] = [("opswitch", ops::OPSWITCH), ("burn", ops::BURN)];

/// A row of the table: a number for each side, in the order of [`SIDES`].
struct Row {
    title: String,
    numbers: [f64; 2],
    decimals: usize,
}

pub(super) fn run() -> Result<(), Failure> {
    eprintln!(
        "this takes about ten minutes; the first run fetches and builds burn too, which takes as long again"
    );
    println!("{} ops of two tensors, three backends, autodiff\n", ops::OPS);
    println!("| | opswitch | burn | ratio |\n|---|---:|---:|---:|");
    for formulas in [false, true] {
        let title = if formulas { "a gradient for each op" } else { "gradients of default bodies" };
        println!("| **{title}** | | | |");
        for row in rows(formulas)? {
            let Row { title, numbers: [ours, burns], decimals } = row;
            println!("| {title} | {ours:.decimals$} | {burns:.decimals$} | {:.2} |", ours / burns);
        }
    }
    println!("{NOTES}");
    Ok(())
}

fn rows(formulas: bool) -> Result<Vec<Row>, Failure> {
    let lines = |count: &dyn Fn(&'static str, &ops::Side) -> Result<usize, Failure>| {
        let [ours, burns] =
            SIDES.each_ref().map(|(side, written)| count(side, written).map(|lines| lines as f64));
        Ok::<_, Failure>([ours?, burns?])
    };
    let written = lines(&|_, written| Ok(written.text(formulas, false).lines().count()))?;
    let emitted = lines(&|side, _| {
        Ok(expanded_lines(side, features(formulas, false))? - expanded_lines(side, features(formulas, true))?)
    })?;
    let mut rows = vec![
        Row { title: "lines written".to_owned(), numbers: written, decimals: 0 },
        Row { title: "lines emitted".to_owned(), numbers: emitted, decimals: 0 },
    ];
    for (title, command) in [("check", "check"), ("release build", "build")] {
        let times = times(command, features(formulas, false))?;
        let least = times.each_ref().map(|times| times[0]);
        let median = times.each_ref().map(|times| times[REPETITIONS / 2]);
        rows.push(Row { title: format!("{title}, s"), numbers: least, decimals: 2 });
        rows.push(Row { title: format!("{title}, s (median)"), numbers: median, decimals: 2 });
    }
    Ok(rows)
}

/// The features of the crates for a variant; `bare` leaves the macro out.
fn features(formulas: bool, bare: bool) -> &'static str {
    match (formulas, bare) {
        (false, false) => "",
        (false, true) => "bare",
        (true, false) => "formulas",
        (true, true) => "formulas,bare",
    }
}

/// The lines of a crate after expansion by the compiler, all formatted by one formatter.
fn expanded_lines(side: &str, features: &str) -> Result<usize, Failure> {
    let mut command = cargo("rustc", side, features);
    command.env("RUSTC_WORKSPACE_WRAPPER", folder().join("expand.sh"));
    command.args(["--", "-Zunpretty=expanded"]).stdout(Stdio::piped());
    let output = command.output().map_err(start)?;
    if !output.status.success() {
        return Err(failed(side));
    }
    let file = syn::parse_file(&String::from_utf8_lossy(&output.stdout))
        .map_err(|error| Failure::Found(format!("the expansion of `{side}` could not be read: {error}")))?;
    Ok(prettyplease::unparse(&file).lines().count())
}

/// The times of compiling each side alone, in order.
fn times(command: &str, features: &str) -> Result<[Vec<f64>; 2], Failure> {
    let mut times = [Vec::new(), Vec::new()];
    for (side, _) in &SIDES {
        user_time(command, side, features)?;
    }
    for _ in 0..REPETITIONS {
        for ((side, _), times) in SIDES.iter().zip(&mut times) {
            // What cargo itself takes to find that all is built, which is no part of the crate.
            let cargos = user_time(command, side, features)?;
            touch(side)?;
            times.push(user_time(command, side, features)? - cargos);
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    Ok(times)
}

fn touch(side: &str) -> Result<(), Failure> {
    let path = folder().join(side).join("src/lib.rs");
    let touched = File::options().append(true).open(&path);
    touched
        .and_then(|file| file.set_modified(SystemTime::now()))
        .map_err(|error| Failure::File { path, error })
}

/// The seconds of processor time that cargo and all that it starts spend outside the kernel.
fn user_time(command: &str, side: &str, features: &str) -> Result<f64, Failure> {
    let cargo = cargo(command, side, features);
    // The shell's `times` prints its own times, then those of what it ran, each as `0m1.234s`.
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$@\" && times", "sh"]).arg(cargo.get_program()).args(cargo.get_args());
    shell.envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(folder());
    let output = shell.stdout(Stdio::piped()).stderr(Stdio::inherit()).output().map_err(start)?;
    if !output.status.success() {
        return Err(failed(side));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let user = text.lines().last().and_then(|line| line.split_whitespace().next()).and_then(seconds);
    user.ok_or_else(|| Failure::Found(format!("the shell's `times` printed {text:?}")))
}

/// `1m2.5s`
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

/// Cargo on the crate of one side. One profile for checks and builds, so that they share what runs at build time.
fn cargo(command: &str, side: &str, features: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([command, "--release", "--quiet", "--locked", "--package", &format!("macro-bench-{side}")]);
    cargo.args(["--features", features]).env("CARGO_INCREMENTAL", "0").current_dir(folder());
    cargo
}

fn folder() -> PathBuf {
    root().join("benches/macro")
}

fn start(error: io::Error) -> Failure {
    Failure::Start { program: "cargo through sh".to_owned(), error }
}

fn failed(side: &str) -> Failure {
    let network = if side == "burn" { "; burn has to be fetched once, which needs the network" } else { "" };
    Failure::Found(format!("cargo could not build `benches/macro/{side}`{network}"))
}
