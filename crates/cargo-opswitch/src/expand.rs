//! `cargo opswitch expand`

use std::path::Path;

use opswitch_codegen::{ExpandError, Expansion, expand_files};
use syn::File;

use crate::{
    error::Failure,
    highlight, options,
    output::{is_colored, print},
    package::Packages,
    source::Source,
};

pub(crate) fn run(options: &options::Expand) -> Result<(), Failure> {
    let (file, name) = file_and_name(options)?;
    let sources = match file {
        Some(_) if options.package.package.is_some() => {
            let message = "name a file or a package, not both: leave out `--package`, or the file";
            return Err(Failure::Refused(message.to_owned()));
        }
        Some(file) => vec![Source::read(Path::new(file))?],
        None => Packages::load(&options.package)?.own_sources()?,
    };
    let files: Vec<&File> = sources.iter().map(|source| &source.file).collect();
    let expansions = expand_files(&files, name).map_err(|error| failure(error, &sources, file))?;
    let texts: Vec<String> = expansions.iter().map(|expansion| text(expansion, &sources)).collect();
    print(&texts.join("\n"))
}

/// Tells a file from a name, which may stand alone: a file is there, or looks like a path.
fn file_and_name(options: &options::Expand) -> Result<(Option<&str>, Option<&str>), Failure> {
    let (file, name) = (options.file.as_deref(), options.name.as_deref());
    match (file, name) {
        (Some(word), _) if word.contains(['.', '/', '\\']) || Path::new(word).is_file() => Ok((file, name)),
        (Some(word), Some(_)) => {
            Err(Failure::Refused(format!("`{word}` is not a file; write the file first, then the name")))
        }
        (name, None) | (None, name) => Ok((None, name)),
    }
}

fn failure(error: ExpandError, sources: &[Source], file: Option<&str>) -> Failure {
    match error {
        ExpandError::Mistakes { file, mistakes } => {
            Failure::Mistakes { path: sources[file].shown().into(), mistakes }
        }
        error => {
            let place = file.unwrap_or("this package").to_owned();
            Failure::Nothing { place, error }
        }
    }
}

/// An expansion under a heading.
fn text(expansion: &Expansion, sources: &[Source]) -> String {
    let Expansion { file, line, item, text, .. } = expansion;
    let code = format!("// {}:{line}: {item}\n\n{text}", sources[*file].shown());
    if is_colored() { highlight::rust(&code) } else { code }
}
