//! `cargo xtask expand`

use std::path::Path;

use crate::run::{Failure, read};

pub(crate) fn expand(file: &Path, name: Option<&str>) -> Result<(), Failure> {
    let expanded = opswitch_codegen::expand_source(&read(file)?, name)
        .map_err(|error| Failure::Found(format!("{}: {error}", file.display())))?;
    println!("{}", expanded.trim_end());
    Ok(())
}
