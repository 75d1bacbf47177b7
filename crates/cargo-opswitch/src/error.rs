//! What can go wrong, in words that say what to do.

use std::{io, path::PathBuf};

use opswitch_codegen::{ExpandError, Mistake};
use thiserror::Error;

/// Why a command has nothing to show.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("cannot read `{}`: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write `{}`: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    #[error("{}", places(path, mistakes))]
    Mistakes { path: PathBuf, mistakes: Vec<Mistake> },
    #[error("{place}: {error}")]
    Nothing {
        /// The file or the package that was looked at.
        place: String,
        error: ExpandError,
    },
    #[error("{}", cargo_says(.0))]
    Cargo(#[from] cargo_metadata::Error),
    /// Anything else that was asked for and is not there: the whole text.
    #[error("{0}")]
    Refused(String),
}

/// Each mistake with its place, as compilers write it.
fn places(path: &std::path::Path, mistakes: &[Mistake]) -> String {
    let place = |mistake: &Mistake| {
        let Mistake { line, column, message } = mistake;
        format!("{}:{line}:{column}: {message}", path.display())
    };
    mistakes.iter().map(place).collect::<Vec<_>>().join("\nerror: ")
}

/// What cargo wrote, without a second `error:` before it.
fn cargo_says(error: &cargo_metadata::Error) -> String {
    match error {
        cargo_metadata::Error::CargoMetadata { stderr } => {
            stderr.trim().trim_start_matches("error: ").to_owned()
        }
        other => other.to_string(),
    }
}
