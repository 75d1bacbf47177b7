//! What the doc tests cannot see: that the book hangs together, and says what the code says.

mod drift;
mod expansion;
mod links;

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The chapters: file name and text.
fn chapters() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("src"))
        .expect("the book has chapters")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| !path.ends_with("SUMMARY.md"))
        .collect();
    files.sort();
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), read(path))).collect()
}

/// A fenced code block.
struct Block<'a> {
    /// What stands after the opening fence.
    info: &'a str,
    /// The lines between the fences.
    lines: Vec<&'a str>,
}

impl Block<'_> {
    /// The code, with the lines that the book hides.
    fn code(&self) -> String {
        let shown = |line: &&str| match *line {
            "#" => String::new(),
            line => line.strip_prefix("# ").unwrap_or(line).to_owned(),
        };
        self.lines.iter().map(shown).collect::<Vec<_>>().join("\n")
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for line in text.lines() {
        open = match (open.take(), line.strip_prefix("```")) {
            (Some(block), Some("")) => {
                blocks.push(block);
                None
            }
            (Some(mut block), _) => {
                block.lines.push(line);
                Some(block)
            }
            (None, Some(info)) => Some(Block { info, lines: Vec::new() }),
            (None, None) => None,
        };
    }
    assert!(open.is_none(), "a code block is not closed");
    blocks
}

/// Blocks that nothing runs are those that cannot be Rust, and three kinds that the introduction names.
#[test]
fn every_block_is_tested_or_says_why_not() {
    let run = ["rust", "rust,no_run", "rust,compile_fail,E0277"];
    let other = ["console", "text", "toml", "wgsl"];
    for (chapter, text) in chapters() {
        for block in blocks(&text) {
            let ignored = block.info == "rust,ignore"
                && ["from-burn.md", "gpu.md", "reviewing.md"].contains(&&*chapter);
            let known = run.contains(&block.info) || other.contains(&block.info) || ignored;
            assert!(known, "{chapter}: a block is `{}`", block.info);
        }
    }
}
