//! `cargo opswitch`

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_opswitch::run(std::env::args_os())
}
