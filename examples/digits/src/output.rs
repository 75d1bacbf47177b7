//! Writing files whole or not at all.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// A folder that cannot be written to.
#[derive(Debug, Error)]
#[error("cannot write to `{}`: {source}", path.display())]
pub(crate) struct OutputError {
    path: PathBuf,
    source: io::Error,
}

/// Makes sure, without leaving a trace, that files can be written to a folder which need not exist yet: to find out
/// after the training would be late.
pub(crate) fn check_writable(dir: &Path) -> Result<(), OutputError> {
    // An empty path is how the current folder ends its list of ancestors.
    let existing = dir.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    let probe = temporary(existing, "probe");
    let written = fs::write(&probe, []).and_then(|()| fs::remove_file(&probe));
    written.map_err(|source| OutputError { path: dir.to_owned(), source })
}

/// Writes files by name into a folder. All of them are on the disk before the first gets its name, so that nobody sees
/// half a file, or a new one beside an old one.
pub(crate) fn write_all(dir: &Path, files: &[(&str, String)]) -> Result<(), OutputError> {
    let write = || {
        fs::create_dir_all(dir)?;
        files.iter().try_for_each(|(name, text)| fs::write(temporary(dir, name), text))?;
        files.iter().try_for_each(|(name, _)| fs::rename(temporary(dir, name), dir.join(name)))
    };
    write().map_err(|source| {
        for (name, _) in files {
            // What is left of a failed attempt; a file that was never made is no further error.
            let _ = fs::remove_file(temporary(dir, name));
        }
        OutputError { path: dir.to_owned(), source }
    })
}

/// A hidden file in the same folder, since only there is a rename one step.
fn temporary(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!(".{name}.{}.tmp", std::process::id()))
}
