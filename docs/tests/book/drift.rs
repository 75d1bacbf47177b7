//! What the book repeats from elsewhere.

use std::{fs, path::Path};

use opswitch::DispatchErrorKind::{
    AutodiffDisabled, DeviceWrappedTwice, DistributedUnsupported, MixedDevices, NoTensor, NotAutodiff,
    TensorWrappedTwice, UnsupportedBackend, WrongAutodiffBackend, WrongBackend, WrongDevice,
};

use super::{blocks, read, root};

/// The files of the backend are included by the blocks after those that show them.
#[test]
fn the_backend_is_the_one_that_is_shown() {
    let chapter = read("src/backend.md");
    let blocks: Vec<String> = blocks(&chapter).iter().map(super::Block::code).collect();
    for file in ["npu/backend.rs", "npu/families.rs"] {
        let text = read(file);
        let shown = blocks.iter().any(|block| block.contains(text.trim_end()));
        assert!(shown, "no block of src/backend.md shows {file} as it is");
    }
}

#[test]
fn the_kernels_for_gpus_are_those_of_the_example() {
    let chapter = read("src/gpu.md");
    let blocks = blocks(&chapter);
    let copied = blocks.iter().filter(|block| ["wgsl", "rust,ignore"].contains(&block.info));
    let shown: Vec<String> = copied.map(|block| block.lines.join("\n")).collect();
    let files = ["matmul_add_relu.wgsl", "fused_wgpu.rs", "fused_cube.rs"];
    let files = files.map(|file| read(format!("../examples/digits/src/{file}")).trim_end().to_owned());
    assert_eq!(shown, files);
}

/// The last block of the first chapter hides the two before it.
#[test]
fn the_first_program_is_the_blocks_that_are_shown() {
    let chapter = read("src/first-op.md");
    let rust: Vec<_> = blocks(&chapter).into_iter().filter(|block| block.info.starts_with("rust")).collect();
    let [declaration, kernel, program] = rust.as_slice() else { panic!("the chapter has three blocks") };
    for part in [declaration, kernel] {
        let shown = |line: &&&str| !line.starts_with('#') || line.starts_with("#[");
        let shown: Vec<&str> = part.lines.iter().filter(shown).copied().collect();
        assert!(program.code().contains(&shown.join("\n")), "the program has another `{}`", shown[0]);
    }
}

#[test]
fn the_table_of_errors_has_every_first_line() {
    let chapter = read("src/errors.md");
    let expected = "{backend}";
    let device = || "{device}".to_owned();
    let kinds = [
        DeviceWrappedTwice,
        TensorWrappedTwice,
        WrongBackend { expected },
        WrongAutodiffBackend { expected },
        NotAutodiff { backend: expected },
        WrongDevice { expected: device() },
        NoTensor,
        DistributedUnsupported { device: device() },
        MixedDevices,
        UnsupportedBackend,
        AutodiffDisabled,
    ];
    for kind in kinds {
        let line = kind.to_string();
        let row = if line.contains('`') { format!("| ``{line}`` |") } else { format!("| `{line}` |") };
        assert!(chapter.contains(&row), "src/errors.md has no row `{row}`");
    }
}

/// The messages of compile errors, from the tests of the compiler's output.
fn compiler_messages(folder: &Path, messages: &mut String) {
    for entry in fs::read_dir(folder).expect("the tests are in the workspace").flatten() {
        let path = entry.path();
        if path.is_dir() {
            compiler_messages(&path, messages);
        } else if path.extension().is_some_and(|extension| extension == "stderr") {
            messages.push_str(&read(path));
        }
    }
}

#[test]
fn what_is_refused_is_refused_with_these_words() {
    let mut messages = String::new();
    compiler_messages(&root().join("../tests/ui"), &mut messages);
    let chapter = read("src/signatures.md");
    let section = chapter.split("## What is refused, and why").nth(1).expect("the section");
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    assert!(rows.len() > 10, "the section has a table");
    for row in rows {
        let message = row.trim_matches(['|', ' ']).rsplit(" | ").next().expect("a last column");
        assert!(messages.contains(message), "no test of the compiler's output has `{message}`");
    }
}
