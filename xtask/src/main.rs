//! The one entry point for developers: `cargo xtask --help`.

mod bench;
mod expand;
mod fuzz;
mod run;
mod tidy;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use self::run::{Failure, cargo};

/// Developer commands of opswitch.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every test.
    Test {
        /// Passed on to the tests, as in `cargo xtask test -- broadcast`.
        #[arg(last = true)]
        filter: Vec<String>,
    },
    /// Everything that CI checks, after the two commands of the README.
    Ci,
    /// Show what `#[backend_extension]` emits for a source file, without a compiler run.
    Expand {
        /// A Rust source file.
        file: PathBuf,
        /// One of its traits or dispatches; all of them if left out.
        name: Option<String>,
    },
    /// Accept what the compile-fail tests and the snapshots say now. Read the diff before you commit it.
    Bless,
    /// Measure.
    Bench {
        /// What to measure.
        what: bench::Benchmark,
    },
    /// Give arbitrary tokens to the code generator, under libFuzzer.
    Fuzz {
        /// For how long.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Find orphaned snapshots, stale messages and drifted docs.
    Tidy,
}

fn main() -> ExitCode {
    let done = match Options::parse().command {
        Command::Test { filter } => test(&filter),
        Command::Ci => ci(),
        Command::Expand { file, name } => expand::expand(&file, name.as_deref()),
        Command::Bless => bless(),
        Command::Bench { what } => bench::run(what),
        Command::Fuzz { seconds } => fuzz::fuzz(seconds),
        Command::Tidy => tidy::tidy(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The package that turns the feature `tracing` on. A build has a feature for all its packages or for none, so it has builds
/// of its own.
const TRACING: &str = "opswitch-tests-tracing";

/// The packages that are built with the GPU backends: they have a build of their own, so that nothing else waits for those.
const GPU: [&str; 3] = ["opswitch-cube", "opswitch-wgpu", "opswitch-tests-gpu"];

/// The packages that are tested on the CPU alone, and once more on every device.
const ON_EVERY_DEVICE: [&str; 3] = ["digits", "opswitch-conformance", "opswitch-tests-vectors"];

/// The workspace without the packages that have builds of their own, with the features that add to the default ones.
fn workspace() -> Vec<&'static str> {
    let excluded = GPU.into_iter().chain([TRACING]).flat_map(|package| ["--exclude", package]);
    let features = ["--features", "opswitch/ndarray,opswitch/safetensors"];
    ["--workspace"].into_iter().chain(excluded).chain(features).collect()
}

/// Everything with the GPU backends.
fn with_gpu() -> Vec<&'static str> {
    let packages = GPU.into_iter().chain(ON_EVERY_DEVICE).flat_map(|package| ["--package", package]);
    let features = ["--features", "digits/cube,digits/wgpu"];
    let on_every_device = ["--features", "opswitch-conformance/cube,opswitch-conformance/wgpu"];
    let vectors = ["--features", "opswitch-tests-vectors/cube,opswitch-tests-vectors/wgpu"];
    packages.chain(features).chain(on_every_device).chain(vectors).collect()
}

fn test(filter: &[String]) -> Result<(), Failure> {
    let filter: Vec<&str> = filter.iter().map(String::as_str).collect();
    let test = |packages: &[&str]| {
        cargo(&[&["test", "--quiet"], packages, &["--"], filter.as_slice()].concat(), &[])
    };
    test(&workspace())?;
    test(&["--package", TRACING])?;
    // One app once more, with the backend that it lists under a feature.
    test(&["--package", "app", "--features", "npu"])?;
    test(&with_gpu())
}

fn ci() -> Result<(), Failure> {
    tidy::tidy()?;
    cargo(&["fmt", "--all", "--check"], &[])?;
    let strict = ["--all-targets", "--quiet", "--", "-D", "warnings"];
    cargo(&[&["clippy"], workspace().as_slice(), &strict].concat(), &[])?;
    cargo(&[&["clippy"], with_gpu().as_slice(), &strict].concat(), &[])?;
    let traced = ["clippy", "--package", TRACING, "--package", "opswitch-core"];
    cargo(&[&traced, &strict[..]].concat(), &[])?;
    for packages in [workspace(), vec!["--package", "opswitch-cube", "--package", "opswitch-wgpu"]] {
        cargo(
            &[&["doc", "--no-deps", "--quiet"], packages.as_slice()].concat(),
            &[("RUSTDOCFLAGS", "-D warnings")],
        )?;
    }
    // The facade without its default backend is what the author of another backend builds on.
    cargo(
        &["check", "--package", "opswitch", "--no-default-features", "--quiet"],
        &[("RUSTFLAGS", "-D warnings")],
    )?;
    // The runtimes that no machine without their hardware runs. This variable spares cudarc the CUDA toolkit.
    let runtimes = ["check", "--package", "opswitch-cube", "--features", "cuda,hip,metal,vulkan", "--quiet"];
    cargo(&runtimes, &[("DOCS_RS", "1")])?;
    cargo(&[&["clippy", "--package", "app", "--features", "npu"], &strict[..]].concat(), &[])?;
    bench::run(bench::Benchmark::Dispatch)
}

fn bless() -> Result<(), Failure> {
    cargo(&["test", "--package", "opswitch-tests", "--test", "ui", "--quiet"], &[("TRYBUILD", "overwrite")])?;
    cargo(
        &["test", "--package", "opswitch-tests", "--test", "it", "--quiet", "snapshots"],
        &[("INSTA_UPDATE", "always")],
    )?;
    cargo(
        &["test", "--package", "opswitch-guide", "--test", "book", "--quiet", "expansion"],
        &[("INSTA_UPDATE", "always")],
    )?;
    cargo(
        &["test", "--package", "opswitch-testing", "--test", "kit", "--quiet", "expansion"],
        &[("INSTA_UPDATE", "always")],
    )?;
    cargo(&["test", "--package", "cargo-opswitch", "--test", "cli", "--quiet"], &[("INSTA_UPDATE", "always")])
}
