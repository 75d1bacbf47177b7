//! `cargo opswitch explain`

use super::{assert_snapshot, piped, refusal, refused, shown, success};

const WRONG_BACKEND: &str = "# Tensor is on the wrong backend\n";

#[test]
fn a_page() {
    assert_snapshot("page", &shown(&["explain", "wrong-backend"]));
}

#[test]
fn a_page_in_colours() {
    assert_snapshot("page_in_colours", &shown(&["explain", "wrong-backend", "--color", "always"]));
}

#[test]
fn a_pasted_line_with_what_stands_around_it() {
    let pasted = [
        "Tensor is on the wrong backend (expected cpu).",
        "tensor is on the wrong backend (expected autodiff(npu:1)).",
        "'Tensor is on the wrong backend (expected cpu).'",
        "thread 'main' panicked at src/main.rs:14:15:\nTensor is on the wrong backend (expected npu).\n  op:       FloatOps::float_add\n  argument: rhs",
        "Error: \"Tensor is on the wrong\n   backend (expected cpu).\"",
    ];
    for line in pasted {
        assert!(shown(&["explain", line]).starts_with(WRONG_BACKEND), "{line}");
        assert!(success(&piped(&["explain"], line)).starts_with(WRONG_BACKEND), "{line}");
        assert!(success(&piped(&["explain", "-"], line)).starts_with(WRONG_BACKEND), "{line}");
    }
    let words = ["explain", "Tensor", "is", "on", "the", "wrong", "backend", "(expected", "cpu)."];
    assert!(shown(&words).starts_with(WRONG_BACKEND));
}

#[test]
fn lines_that_are_alike_are_told_apart() {
    let title = |line: &str| shown(&["explain", line]).lines().next().unwrap_or_default().to_owned();
    let line = "Autodiff float tensor is on the wrong backend (expected cpu).";
    assert_eq!(title(line), "# Autodiff float tensor is on the wrong backend");
    assert_eq!(title("Tensor is on the wrong device (expected npu:0)."), "# Tensor is on the wrong device");
}

#[test]
fn the_first_error_of_a_compiler_is_explained() {
    let output = "warning: unused import: `x`
error[E0277]: backend `opswitch_cpu::Cpu` has no kernels for `ScaleOps`
 --> src/lib.rs:6:21
  |
6 | #[backend_extension(Cpu)]
  |                     ^^^ `ScaleOps` is not implemented for this backend
error[E0277]: `Camera<Dispatch>` cannot cross from one backend to another";
    assert!(success(&piped(&["explain"], output)).starts_with("# A backend has no kernels for a trait\n"));
}

#[test]
fn all_pages_are_listed() {
    let list = shown(&["explain", "--list"]);
    let slugs: Vec<&str> = list.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    assert_eq!(slugs.len(), 19);
    for slug in slugs {
        assert!(shown(&["explain", slug]).starts_with("# "), "{slug}");
    }
}

#[test]
fn an_unknown_line_suggests_the_nearest_pages() {
    let error = refused(&["explain", "a tensor was on some wrong device"]);
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines[0], "no page explains this line; `--list` shows all pages, and the nearest are:");
    assert!(lines[1].contains("cargo opswitch explain wrong-device"), "{error}");
    assert_eq!(lines.len(), 4);
    assert!(refusal(&piped(&["explain"], "")).starts_with("no page explains this line"));
}
