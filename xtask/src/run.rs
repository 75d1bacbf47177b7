//! Running other programs from the root of the workspace.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    process::Command,
};

/// Why a command of xtask failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A program could not be started.
    Start { program: String, error: io::Error },
    /// A program failed.
    Exit { program: String },
    /// A file could not be read.
    File { path: PathBuf, error: io::Error },
    /// Something was found that should not be there.
    Found(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, error } => write!(f, "cannot start `{program}`: {error}"),
            Self::Exit { program } => write!(f, "`{program}` failed"),
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Found(text) => f.write_str(text),
        }
    }
}

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the workspace")
}

/// Runs cargo in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<(), Failure> {
    // The cargo that runs xtask, so that both use one toolchain.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).envs(variables.iter().copied());
    run(command)
}

/// Runs a program in the root of the workspace.
pub(crate) fn run(mut command: Command) -> Result<(), Failure> {
    let program = format!("{command:?}").replace('"', "");
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::Exit { program }),
        Err(error) => Err(Failure::Start { program, error }),
    }
}

/// Reads a file of the workspace.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::File { path: path.to_owned(), error })
}
