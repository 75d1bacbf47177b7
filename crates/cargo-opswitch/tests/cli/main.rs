//! The program as a user runs it: on a small package, which is `fixture`, whose registry is the folder `vendor`.

mod expand;
mod explain;
mod sources;
mod table;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture")
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run left; on the first one there is nothing to remove.
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The program in a folder, with nothing of the terminal that runs the tests.
fn opswitch_in(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-opswitch"));
    command.args(args).current_dir(folder).env("CARGO_NET_OFFLINE", "true");
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// The program in a package of this workspace. cargo may fetch what other platforms and features need.
fn opswitch_at(package: &str, args: &[&str]) -> Command {
    let mut command = opswitch_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(package), args);
    command.env_remove("CARGO_NET_OFFLINE");
    command
}

/// The output of a run in the fixture that must succeed.
fn shown(args: &[&str]) -> String {
    success(&opswitch_in(&fixture(), args).output().unwrap())
}

fn success(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The error of a run that must fail before it prints anything.
fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    text.trim_end().strip_prefix("error: ").expect("the text starts with `error: `").to_owned()
}

/// The error of a run in the fixture.
fn refused(args: &[&str]) -> String {
    refusal(&opswitch_in(&fixture(), args).output().unwrap())
}

/// Runs with a text on the standard input.
fn piped(args: &[&str], input: &str) -> Output {
    let mut command = opswitch_in(&fixture(), args);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn it_is_a_command_of_cargo() {
    let direct = shown(&["table"]);
    assert_eq!(shown(&["opswitch", "table"]), direct);
}

#[test]
fn help_is_there_for_each_command() {
    for command in [&["--help"][..], &["expand", "--help"], &["table", "--help"], &["explain", "--help"]] {
        assert!(shown(command).contains("Usage: cargo opswitch"), "{command:?}");
    }
}

#[test]
fn what_clap_refuses_ends_with_two() {
    for args in [&["tabel"][..], &["table", "--format", "pdf"], &["expand", "a.rs", "b", "c"], &[]] {
        let output = opswitch_in(&fixture(), args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn packages_that_are_not_there_or_do_not_use_opswitch_are_refused() {
    let stranger = folder("stranger");
    fs::create_dir(stranger.join("src")).unwrap();
    fs::write(stranger.join("src/lib.rs"), "").unwrap();
    fs::write(stranger.join("Cargo.toml"), "[package]\nname = 'stranger'\nedition = '2024'\n\n[workspace]\n")
        .unwrap();
    for command in ["table", "expand"] {
        let error = refusal(&opswitch_in(&stranger, &[command]).output().unwrap());
        assert_eq!(error, "package `stranger` does not depend on opswitch; add it with `cargo add opswitch`");
        let error = refused(&[command, "--package", "studoi"]);
        assert_eq!(error, "there is no package `studoi` in this workspace, which has acme, studio");
        let error = refused(&[command, "--manifest-path", "missing/Cargo.toml"]);
        assert!(error.contains("missing/Cargo.toml"), "{error}");
    }
}

#[test]
fn a_workspace_asks_for_a_package() {
    let error = refusal(&opswitch_at("", &["table"]).output().unwrap());
    assert!(error.starts_with("this folder is a workspace, not a package; choose one with `--package`: "));
    assert!(error.contains("digits") && !error.contains("xtask"), "{error}");
}
