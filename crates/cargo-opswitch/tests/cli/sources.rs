//! No source makes it panic: those of the compile-fail tests, and each of them without one of its lines.

use std::{fs, path::Path};

use opswitch_codegen::{ExpandError, expand_source, parse_source, survey::survey};

fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ui");
    let folders = fs::read_dir(root).unwrap().map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let sources = files.filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    sources.map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// Expands and surveys a source, and checks that each mistake has a place in it.
fn check(source: &str) {
    let lines = source.lines().count();
    let mut mistakes = match expand_source(source, None) {
        Err(ExpandError::Mistakes { mistakes, .. }) => mistakes,
        _ => Vec::new(),
    };
    if let Ok(file) = parse_source(source) {
        mistakes.extend(survey(&file).err().into_iter().flatten());
    }
    for mistake in mistakes {
        assert!((1..=lines).contains(&mistake.line) && mistake.column > 0, "{mistake} in\n{source}");
    }
}

#[test]
fn every_mistake_has_a_place() {
    let sources = sources();
    assert!(sources.len() > 80, "only {} sources were found", sources.len());
    for source in sources {
        check(&source);
        let lines: Vec<&str> = source.lines().collect();
        for without in 0..lines.len() {
            check(&[&lines[..without], &lines[without + 1..]].concat().join("\n"));
        }
    }
}
