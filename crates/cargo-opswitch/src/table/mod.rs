//! `cargo opswitch table`

mod build;
mod cells;
mod coverage;
mod html;
mod markdown;
mod scan;
mod text;

use std::fs;

use self::scan::Scan;
use crate::{
    error::Failure,
    options::{self, Format},
    output::{is_colored, print},
    package::Packages,
};

pub(crate) fn run(options: &options::Table) -> Result<(), Failure> {
    let scan = Scan::of(Packages::load(&options.package)?)?;
    let coverage = build::coverage(&scan, options)?;
    let written = match options.format {
        Format::Text => text::render(&coverage, options.output.is_none() && is_colored()),
        Format::Markdown => markdown::render(&coverage),
        Format::Html => html::render(&coverage),
    };
    match &options.output {
        Some(path) => fs::write(path, written).map_err(|error| Failure::Write { path: path.clone(), error }),
        None => print(&written),
    }
}
