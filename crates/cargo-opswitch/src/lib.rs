//! `cargo opswitch`: see what you got.
//!
//! - `expand` prints what `#[backend_extension]` and `#[derive(ExtensionType)]` emit for your items.
//! - `table` says of every op which backend has a kernel for it, and how its gradient is found.
//! - `explain` says what an error means, why it happens, and what to change.
//!
//! The first two read sources; nothing is compiled. What sources say of ops is read by the generator's own parser
//! (`opswitch_codegen::survey`); here are packages, files and rendering.

mod error;
mod expand;
mod explain;
mod highlight;
mod options;
mod output;
mod package;
mod source;
mod table;

use std::{ffi::OsString, process::ExitCode};

use clap::Parser;

use self::{
    error::Failure,
    options::{Command, Options},
};

/// Runs the program with its command line, of which the first argument is the program's own name.
///
/// As `cargo opswitch ..` runs it, the second argument is `opswitch`; called directly, it is left out.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|argument| argument == "opswitch") {
        arguments.remove(1);
    }
    // An unknown option ends the program here, with 2.
    let options = Options::parse_from(arguments);
    output::set_color(options.color);
    match command(&options.command) {
        Ok(()) => ExitCode::SUCCESS,
        // Who reads the output has read enough, as in `cargo opswitch expand | head`.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            anstream::eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn command(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Expand(options) => expand::run(options),
        Command::Table(options) => table::run(options),
        Command::Explain(options) => explain::run(options),
    }
}
