//! The expansion that is read in "Reviewing generated code" is the one that the generator gives.

use std::fs;

use super::{Block, blocks, read, root};

const CHAPTER: &str = "src/reviewing.md";

/// The first block is the source; those that are not run are the parts of its expansion.
fn source_and_parts(text: &str) -> (String, Vec<Block<'_>>) {
    let mut blocks = blocks(text);
    let source = blocks.iter().position(|block| block.info == "rust").expect("the source");
    let source = blocks.remove(source).code();
    blocks.retain(|block| block.info == "rust,ignore");
    (source, blocks)
}

/// The expansion, cut where each part begins with the line that it begins with in the chapter.
fn cut<'a>(expansion: &'a str, parts: &[Block<'_>]) -> Vec<Vec<&'a str>> {
    let mut cut: Vec<Vec<&str>> = Vec::new();
    for line in expansion.lines() {
        if parts.get(cut.len()).is_some_and(|part| part.lines.first() == Some(&line)) {
            cut.push(Vec::new());
        }
        cut.last_mut().expect("the first part begins with the first line").push(line);
    }
    assert_eq!(cut.len(), parts.len(), "a part of {CHAPTER} begins with a line that is generated no more");
    cut
}

/// `cargo xtask bless` writes the parts anew.
#[test]
fn the_chapter_shows_what_is_generated() {
    let text = read(CHAPTER);
    let (source, parts) = source_and_parts(&text);
    let expansion = opswitch_codegen::expand_source(&source, Some("FusedOps")).expect("the source expands");
    let fresh = cut(&expansion, &parts);
    let shown = |part: &[&str]| format!("```rust,ignore\n{}\n```", part.join("\n"));
    let renewed = parts
        .iter()
        .zip(&fresh)
        .fold(text.clone(), |text, (part, fresh)| text.replace(&shown(&part.lines), &shown(fresh)));
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(root().join(CHAPTER), renewed).expect("the chapter can be written");
    } else {
        for (part, fresh) in parts.iter().zip(&fresh) {
            assert_eq!(part.lines.join("\n"), fresh.join("\n"), "`cargo xtask bless` renews the chapter");
        }
    }
}
