//! `cargo xtask tidy`: what was left behind, and what the docs say that is no longer so.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::run::{Failure, read, root};

/// The texts that describe the tree.
const DOCS: [&str; 3] = ["README.md", "ARCHITECTURE.md", "TESTING.md"];

pub(crate) fn tidy() -> Result<(), Failure> {
    let files = files(root())?;
    let mut found = Vec::new();
    found.extend(orphan_snapshots(&files)?);
    found.extend(stale_messages(&files));
    found.extend(drifted_docs()?);
    if found.is_empty() {
        println!("tidy: nothing left behind");
        return Ok(());
    }
    Err(Failure::Found(format!("not tidy:\n  {}", found.join("\n  "))))
}

/// Every file below a folder, but for build output and hidden folders.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |error| Failure::File { path: folder.to_owned(), error };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                found.extend(files(&path)?);
            }
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Snapshots that wait for review, and those that no test names.
fn orphan_snapshots(files: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let mut sources = String::new();
    let is_test = |file: &Path| file.components().any(|part| part.as_os_str() == "tests");
    for file in files.iter().filter(|file| has_extension(file, "rs") && is_test(file)) {
        sources.push_str(&read(file)?);
    }
    let orphan = |file: &&PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.rsplit("__").next().unwrap_or(&name);
        has_extension(file, "snap") && !sources.contains(name)
    };
    let waiting =
        files.iter().filter(|file| has_extension(file, "new") || has_extension(file, "pending-snap"));
    let waiting =
        waiting.map(|file| format!("{}: not reviewed; `cargo xtask bless` accepts it", shown(file)));
    let orphans =
        files.iter().filter(orphan).map(|file| format!("{}: no test names this snapshot", shown(file)));
    Ok(waiting.chain(orphans).collect())
}

/// Messages without a test.
fn stale_messages(files: &[PathBuf]) -> Vec<String> {
    let stale =
        files.iter().filter(|file| has_extension(file, "stderr") && !file.with_extension("rs").exists());
    stale.map(|file| format!("{}: the test that this message belongs to is gone", shown(file))).collect()
}

/// Paths in the docs that lead nowhere, and crates that the code map leaves out.
fn drifted_docs() -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for doc in DOCS {
        let text = read(&root().join(doc))?;
        let broken = paths(&text).filter(|path| !root().join(path).exists());
        found.extend(broken.map(|path| format!("{doc}: `{path}` does not exist")));
    }
    let map = read(&root().join("ARCHITECTURE.md"))?;
    for folder in ["crates", "examples"] {
        let path = root().join(folder);
        let entries = fs::read_dir(&path).map_err(|error| Failure::File { path, error })?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !map.contains(&name) {
                found.push(format!("ARCHITECTURE.md: {folder}/{name} is missing from the code map"));
            }
        }
    }
    Ok(found)
}

/// The code spans of a text that are paths in this repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 7] = ["crates/", "docs/", "examples/", "tests/", "xtask/", "benches/", ".ci/"];
    let spans = text.split('`').skip(1).step_by(2);
    spans.filter(|span| {
        FOLDERS.iter().any(|folder| span.starts_with(folder)) && !span.contains(['*', ' ', '<'])
    })
}
