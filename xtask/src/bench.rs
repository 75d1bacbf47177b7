//! `cargo xtask bench`

mod macros;

use std::{path::Path, process::Command};

use clap::ValueEnum;

use crate::run::{Failure, cargo, read, root};

/// What can be measured.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Benchmark {
    /// Instructions that dispatch adds to a call, counted by callgrind.
    Dispatch,
    /// Ops and training steps on the CPU, beside candle's and burn's.
    Cpu,
    /// Ops and a training step on the GPU backends, beside burn's on the same adapter.
    Wgpu,
    /// What a trait of ops costs to compile, beside the same trait under burn's macro.
    Macro,
}

/// The most that dispatch may add to a call of two tensors on a plain device.
const MAX_DISPATCH_INSTRUCTIONS: i64 = 40;

pub(crate) fn run(benchmark: Benchmark) -> Result<(), Failure> {
    match benchmark {
        Benchmark::Dispatch => dispatch(),
        Benchmark::Macro => macros::run(),
        Benchmark::Cpu => beside("cpu", &[("RAYON_NUM_THREADS", "2")]),
        Benchmark::Wgpu => beside("wgpu", &[]),
    }
}

/// Runs a benchmark beside other libraries, which has a workspace of its own.
fn beside(name: &str, variables: &[(&str, &str)]) -> Result<(), Failure> {
    let manifest = format!("benches/{name}/Cargo.toml");
    cargo(&["run", "--release", "--quiet", "--manifest-path", &manifest], variables)
}

fn dispatch() -> Result<(), Failure> {
    // With the example, whose build of the kernels it then shares: alone, features of dependencies differ.
    cargo(&["build", "--release", "--package", "opswitch-bench", "--package", "digits", "--quiet"], &[])?;
    let direct = call("direct")?;
    println!("instructions of a call of an op of two tensors: {direct} directly, and over that");
    let mut plain = 0;
    for way in ["dispatched", "autodiff"] {
        let over = call(way)? - direct;
        println!("  {way:<12} {over:>4}");
        if way == "dispatched" {
            plain = over;
        }
    }
    if plain > MAX_DISPATCH_INSTRUCTIONS {
        return Err(Failure::Found(format!(
            "dispatch adds {plain} instructions to a call; at most {MAX_DISPATCH_INSTRUCTIONS} are allowed"
        )));
    }
    Ok(())
}

/// The instructions of one call, without those for cloning and dropping the handles that it takes.
fn call(way: &str) -> Result<i64, Failure> {
    Ok(repetition(way)? - repetition(&format!("{way}-handles"))?)
}

/// The instructions of one repetition: the difference between many and few, so that starting up does not count.
fn repetition(way: &str) -> Result<i64, Failure> {
    let (few, many) = (1_000, 11_000);
    let more = instructions(way, many)? - instructions(way, few)?;
    Ok(more / (many - few))
}

fn instructions(way: &str, calls: i64) -> Result<i64, Failure> {
    let output = root().join("target/callgrind.out");
    let program = "valgrind --tool=callgrind".to_owned();
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", output.display()))
        .arg(root().join("target/release/dispatch"))
        .args([way, &calls.to_string()])
        .status()
        .map_err(|error| Failure::Start {
            program: format!("{program} (on Debian: apt-get install valgrind)"),
            error,
        })?;
    if !status.success() {
        return Err(Failure::Exit { program });
    }
    total(&output)
}

/// The line `summary: N` (or `totals: N`) of a callgrind file.
fn total(file: &Path) -> Result<i64, Failure> {
    let text = read(file)?;
    let count = text
        .lines()
        .find_map(|line| line.strip_prefix("summary: ").or_else(|| line.strip_prefix("totals: ")))
        .and_then(|count| count.trim().parse().ok());
    count.ok_or_else(|| Failure::Found(format!("{} holds no instruction count", file.display())))
}
