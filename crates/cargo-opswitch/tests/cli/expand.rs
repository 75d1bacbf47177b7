//! `cargo opswitch expand`

use std::{fs, process::Command};

use super::{fixture, folder, opswitch_in, refusal, refused, shown, success};

/// The headings, which are the only plain comments.
fn headings(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("// ")).collect()
}

#[test]
fn everything_in_the_package() {
    let text = shown(&["expand"]);
    assert_eq!(
        headings(&text),
        [
            "// src/lib.rs:16: struct Compute",
            "// src/blur.rs:8: struct Filter",
            "// src/blur.rs:14: trait BlurOps",
            "// src/preview.rs:4: trait PreviewOps",
            "// src/tone.rs:5: trait ToneOps",
        ]
    );
    syn::parse_file(&text).expect("the output is Rust");
}

#[test]
fn a_trait_meets_the_dispatch_of_another_file() {
    let text = shown(&["expand", "BlurOps"]);
    assert_eq!(headings(&text), ["// src/blur.rs:14: trait BlurOps"]);
    assert!(text.contains("impl BlurOps for Compute"), "the routing is shown");
    assert_eq!(headings(&shown(&["expand", "src/blur.rs", "BlurOps"])), headings(&text));
    let alone = shown(&["expand", "src/blur.rs", "BlurOps"]);
    assert!(!alone.contains("impl BlurOps for Compute"), "the file alone does not declare the dispatch");
    assert!(alone.contains("Compute!"), "the call of its macro is shown");
}

#[test]
fn a_file_alone() {
    let text = shown(&["expand", "src/tone.rs"]);
    assert_eq!(headings(&text), ["// src/tone.rs:5: trait ToneOps"]);
}

#[test]
fn colours_are_for_terminals() {
    let plain = shown(&["expand", "ToneOps"]);
    assert!(!plain.contains('\u{1b}'));
    let colored = shown(&["expand", "ToneOps", "--color", "always"]);
    assert!(colored.contains("\u{1b}["));
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
    let forced = |variable: &str| {
        let mut command = opswitch_in(&fixture(), &["expand", "ToneOps"]);
        success(&command.env("CLICOLOR_FORCE", "1").env(variable, "1").output().unwrap())
    };
    assert_eq!(forced("CLICOLOR_FORCE"), colored);
    assert_eq!(forced("NO_COLOR"), plain);
}

#[test]
fn what_is_not_there_is_refused() {
    let error = refused(&["expand", "missing.rs"]);
    assert!(error.starts_with("cannot read `missing.rs`: "), "{error}");
    let error = refused(&["expand", "BlurOp"]);
    assert!(error.starts_with("this package: no item `BlurOp` has `#[backend_extension]`"), "{error}");
    assert!(error.ends_with("those that have: Compute, Filter, BlurOps, PreviewOps, ToneOps"), "{error}");
    let error = refused(&["expand", "BlurOps", "ToneOps"]);
    assert_eq!(error, "`BlurOps` is not a file; write the file first, then the name");
    let error = refused(&["expand", "src/tone.rs", "--package", "studio"]);
    assert!(error.starts_with("name a file or a package, not both"), "{error}");
    let error = refused(&["expand", "vendor/opswitch-cpu/src/lib.rs"]);
    assert_eq!(
        error,
        "vendor/opswitch-cpu/src/lib.rs: no item has `#[backend_extension]` or `#[derive(ExtensionType)]`"
    );
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let folder = folder("mistakes");
    let error = |source: &str| {
        fs::write(folder.join("ops.rs"), source).unwrap();
        refusal(&opswitch_in(&folder, &["expand", "ops.rs"]).output().unwrap())
    };
    let unbalanced = error("pub trait Ops {\n    fn f(;\n}\n");
    assert_eq!(unbalanced, "ops.rs:3:1: a bracket has no match, or a text or comment no end");
    let other = error("pub trait Ops {\n    fn f(x);\n}\n");
    assert!(other.starts_with("ops.rs:2:11: expected `:`"), "{other}");
    let several =
        error("#[backend_extension]\npub trait Ops: Backend {\n    fn f(&self);\n    fn g(n: usize);\n}\n");
    let lines: Vec<&str> = several.lines().collect();
    assert!(lines[0].starts_with("ops.rs:3:10: `f` takes `self`"), "{several}");
    assert!(lines[1].starts_with("error: ops.rs:4:8: no argument of `g`"), "{several}");
    let unfinished = error(
        "#[backend_extension]\npub trait Ops: Backend {\n    #[backward { x => }]\n    fn f(x: FloatTensor<Self>);\n}\n",
    );
    assert!(unfinished.starts_with("ops.rs:"), "{unfinished}");
    let derive = error("#[derive(ExtensionType)]\nstruct Ray { origin: f32 }\n");
    assert!(derive.starts_with("ops.rs:2:"), "{derive}");
    let list = error("\n#[backend_extension(Cpu Npu)]\nstruct Compute;\n");
    assert!(list.starts_with("ops.rs:2:25: a comma stands between entries"), "{list}");
}

/// Syntax that the formatter does not know is shown as it is.
#[test]
fn syntax_of_compilers_to_come_does_no_harm() {
    let folder = folder("syntax");
    let source = "#[backend_extension]\npub trait Ops: Backend {\n    fn f(x: FloatTensor<Self>) { builtin # f(x) }\n}\n";
    fs::write(folder.join("ops.rs"), source).unwrap();
    let output = opswitch_in(&folder, &["expand", "ops.rs"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn who_stops_reading_ends_it_quietly() {
    let program = env!("CARGO_BIN_EXE_cargo-opswitch");
    let script = format!("set -o pipefail; '{program}' expand | head -n 1");
    let output = Command::new("bash").args(["-c", &script]).current_dir(fixture()).output().unwrap();
    assert_eq!(success(&output), "// src/lib.rs:16: struct Compute\n");
}
