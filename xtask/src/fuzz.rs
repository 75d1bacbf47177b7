//! `cargo xtask fuzz`

#[path = "../../tests/it/codegen/seeds.rs"]
mod seeds;

use std::{fs, path::Path, process::Command};

use crate::run::{Failure, root, run};

/// Fuzzes the code generator for some seconds, starting from the inputs of other tests and from what earlier runs found.
pub(crate) fn fuzz(seconds: u32) -> Result<(), Failure> {
    write_corpus(&root().join("fuzz/corpus/expand"))?;
    if !has_cargo_fuzz() {
        return Err(Failure::Found(
            "fuzzing needs a nightly compiler and cargo-fuzz: `rustup toolchain install nightly --profile minimal` and \
             `cargo install cargo-fuzz`"
                .to_owned(),
        ));
    }
    let mut command = Command::new("cargo");
    // Rustup gives the variable of the toolchain that runs xtask precedence over `+nightly`.
    command.env_remove("RUSTUP_TOOLCHAIN").args([
        "+nightly",
        "fuzz",
        "run",
        "--fuzz-dir",
        "fuzz",
        "expand",
        "--",
    ]);
    command.arg(format!("-max_total_time={seconds}"));
    command.args(["-dict=fuzz/words.dict", "-timeout=10", "-max_len=4096"]);
    run(command)
}

fn has_cargo_fuzz() -> bool {
    let mut command = Command::new("cargo");
    command.env_remove("RUSTUP_TOOLCHAIN").args(["+nightly", "fuzz", "--version"]);
    command.output().is_ok_and(|output| output.status.success())
}

/// One file a use of the macros: its options, a zero byte, its item.
fn write_corpus(folder: &Path) -> Result<(), Failure> {
    let fail = |error| Failure::File { path: folder.to_owned(), error };
    fs::create_dir_all(folder).map_err(fail)?;
    let tests = root().join("tests");
    let seeds = seeds::of_tests(&tests).map_err(|error| Failure::File { path: tests, error })?;
    for (number, seed) in seeds.iter().enumerate() {
        let text = format!("{}\0{}", seed.options, seed.item);
        fs::write(folder.join(format!("seed-{number:03}")), text).map_err(fail)?;
    }
    println!("{} inputs from the tests in {}", seeds.len(), folder.display());
    Ok(())
}
