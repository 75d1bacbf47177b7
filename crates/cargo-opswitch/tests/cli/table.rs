//! `cargo opswitch table`

use std::fs;

use super::{assert_snapshot, folder, opswitch_at, refused, shown, success};

#[test]
fn the_table_as_text() {
    assert_snapshot("table_text", &shown(&["table"]));
}

#[test]
fn the_table_as_markdown() {
    assert_snapshot("table_markdown", &shown(&["table", "--format", "markdown"]));
}

#[test]
fn the_table_as_a_page() {
    assert_snapshot("table_html", &shown(&["table", "--format", "html"]));
}

#[test]
fn a_page_needs_no_other_file_and_runs_nothing() {
    let page = shown(&["table", "--format", "html"]);
    for part in ["<script", "http", "src=", "url(", "<link"] {
        assert!(!page.contains(part), "the page contains `{part}`");
    }
}

#[test]
fn a_file_instead_of_the_terminal() {
    let path = folder("table_file").join("ops.md");
    let file = path.to_str().unwrap();
    assert_eq!(shown(&["table", "--format", "markdown", "--output", file, "--color", "always"]), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), shown(&["table", "--format", "markdown"]));
    let error = refused(&["table", "--output", "missing/folder/ops.txt"]);
    assert!(error.starts_with("cannot write `missing/folder/ops.txt`: "), "{error}");
}

#[test]
fn one_dispatch_alone() {
    let table = shown(&["table", "--dispatch", "Dispatch"]);
    // There are two of this name.
    assert!(table.contains("ToneOps") && table.contains("PreviewOps"), "{table}");
    assert!(!table.contains("BlurOps") && !table.contains("NpuOps"), "{table}");
    let error = refused(&["table", "--dispatch", "Dispach"]);
    assert_eq!(error, "no dispatch `Dispach` routes ops here; these do: Compute, Dispatch");
}

#[test]
fn the_built_in_families_are_shown_when_asked_for() {
    assert!(!shown(&["table"]).contains("FloatOps"));
    let table = shown(&["table", "--families", "--dispatch", "Compute"]);
    let row = table.lines().find(|line| line.contains("float_sub")).expect("the family has this op");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["float_sub", "kernel", "missing", "unknown", "formula", "(lhs,", "rhs)"]);
}

#[test]
fn colours_are_for_terminals() {
    assert!(!shown(&["table"]).contains('\u{1b}'));
    let colored = shown(&["table", "--color", "always"]);
    assert!(colored.contains("\u{1b}["));
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), shown(&["table"]));
}

/// The op of the example has kernels, and the ops of the backends that macros write are found.
#[test]
fn a_real_package() {
    let table = success(&opswitch_at("examples/digits", &["table", "--families"]).output().unwrap());
    let cells = |op: &str| -> Vec<String> {
        let row = table.lines().find(|line| line.trim_start().starts_with(&format!("{op} ")));
        let row = row.unwrap_or_else(|| panic!("`{op}` is not in the table"));
        row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    // The CPU, wgpu and CubeCL.
    let row = |op, cell, gradient| vec![op, cell, cell, cell, gradient];
    assert_eq!(cells("matmul_add_relu"), row("matmul_add_relu", "kernel", "formula (lhs, rhs, bias)"));
    assert_eq!(cells("float_reshape"), row("float_reshape", "kernel", "formula (x)"));
    assert_eq!(cells("float_tanh"), row("float_tanh", "kernel", "formula (x)"));
    assert_eq!(cells("float_transpose"), row("float_transpose", "default body", "default body"));
    assert_eq!(cells("require_grad"), row("require_grad", "default body", "hand-written"));
    assert!(!table.contains("unknown") && !table.contains("missing"), "{table}");
}
