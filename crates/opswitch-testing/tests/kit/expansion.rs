//! Reviews of generated code: the snapshots are in `snapshots`, beside this file.

use std::process::Command;

use opswitch::{Backend, ExtensionType, FloatTensor};
use opswitch_testing::assert_expansion;

/// A struct whose expansion is reviewed.
#[derive(ExtensionType)]
struct Ray<B: Backend> {
    origin: FloatTensor<B>,
    length: f64,
}

#[test]
fn of_a_file() {
    assert_expansion!("of_a_file", "Ray", file = "tests/kit/expansion.rs");
}

#[test]
fn of_a_text() {
    assert_expansion!(
        "of_a_text",
        "ScaleOps",
        "
#[backend_extension(dispatch = Dispatch)]
pub trait ScaleOps: FloatOps {
    #[backward(none)]
    fn scale(x: FloatTensor<Self>, factor: f64) -> FloatTensor<Self>;
}
"
    );
}

#[test]
#[should_panic(
    expected = "no item `Way` has `#[backend_extension]` or `#[derive(ExtensionType)]`; those that have: Ray"
)]
fn of_nothing() {
    assert_expansion!("of_nothing", "Way", file = "tests/kit/expansion.rs");
}

#[test]
#[should_panic(expected = "Ray: line 1, column 1: unexpected end of input")]
fn of_what_is_not_rust() {
    assert_expansion!("of_what_is_not_rust", "Ray", "#[derive(ExtensionType)] struct");
}

#[test]
#[ignore = "started by `that_has_changed` in a process of its own, which updates nothing"]
fn of_another_text() {
    assert_expansion!(
        "of_a_text",
        "Ray",
        "#[derive(ExtensionType)] struct Ray<B: Backend> { x: FloatTensor<B> }"
    );
}

#[test]
fn that_has_changed() {
    let mut child = Command::new(std::env::current_exe().expect("this test has a path"));
    child.args(["expansion::of_another_text", "--exact", "--ignored", "--nocapture"]);
    let output = child.env("INSTA_UPDATE", "no").output().expect("this test can be started");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("tests print text");
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("snapshot assertion for 'of_a_text' failed"), "{text}");
}
