//! The program as a user runs it.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};

/// An empty folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // What an earlier run left; on the first one there is nothing to remove.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn digits(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_digits"));
        // Not the default, which looks for GPUs: their drivers may print what the tests do not expect.
        command.args(args).current_dir(&self.0).env("OPSWITCH_DEVICE", "cpu");
        command
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The error of a run that must fail before it prints anything.
fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    text.strip_prefix("error: ").expect("the text starts with `error: `").to_owned()
}

fn embedded() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/digits.csv.gz")).unwrap()
}

/// The digits with the third field of the first row replaced.
fn spoiled(field: &str) -> Vec<u8> {
    let mut text = String::new();
    GzDecoder::new(&*embedded()).read_to_string(&mut text).unwrap();
    let mut fields: Vec<&str> = text.splitn(4, ',').collect();
    fields[2] = field;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(fields.join(",").as_bytes()).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn a_short_run_learns_draws_and_reports() {
    let folder = Folder::new("short_run");
    let output = folder.digits(&["--epochs", "5", "--seed", "2", "--out", "a/b", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "the progress bar shows without a terminal");

    let text = String::from_utf8(output.stdout).unwrap();
    let json: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let mut keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    keys.sort();
    let numbers = ["seconds_per_epoch", "seed", "test_accuracy", "train_accuracy"];
    assert_eq!(keys, [&["device", "epochs", "model"][..], &numbers].concat());
    assert_eq!((json["device"].as_str(), json["model"].as_str()), (Some("cpu"), Some("mlp")));
    assert_eq!((json["epochs"].as_u64(), json["seed"].as_u64()), (Some(5), Some(2)));
    for key in ["train_accuracy", "test_accuracy"] {
        let accuracy = json[key].as_f64().unwrap();
        assert!((0.8..=1.0).contains(&accuracy), "{key} is {accuracy}");
    }
    assert!(json["seconds_per_epoch"].as_f64().unwrap() > 0.0);

    let pictures = Folder(folder.0.join("a/b"));
    assert_eq!(pictures.files(), ["confusion.svg", "loss.svg"]);
    for name in pictures.files() {
        let svg = fs::read_to_string(pictures.0.join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }
}

#[test]
fn the_convolutional_network_learns() {
    let folder = Folder::new("cnn");
    let output = folder.digits(&["--model", "cnn", "--epochs", "4", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let json: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(json["model"].as_str(), Some("cnn"));
    let accuracy = json["test_accuracy"].as_f64().unwrap();
    assert!((0.7..=1.0).contains(&accuracy), "{accuracy}");
}

#[test]
fn an_unknown_device_is_refused() {
    let folder = Folder::new("unknown_device");
    let asked = folder.digits(&["--device", "abacus:1"]).output().unwrap();
    let inherited = folder.digits(&[]).env("OPSWITCH_DEVICE", "abacus:1").output().unwrap();
    for output in [asked, inherited] {
        let error = refusal(&output);
        assert!(error.starts_with("unsupported dispatch backend\n"), "{error}");
        assert!(error.contains("abacus:1") && error.contains("cpu"), "{error}");
    }
    assert!(folder.files().is_empty());
}

#[test]
fn bad_data_is_refused() {
    let folder = Folder::new("bad_data");
    let cases = [
        (embedded()[..20_000].to_vec(), "the file is truncated: its compressed data ends too early"),
        (spoiled("NaN"), "bad.csv.gz, row 1, column 3: `NaN` is not an integer from 0 to 16"),
        (spoiled("17"), "bad.csv.gz, row 1, column 3: `17` is not an integer from 0 to 16"),
        (spoiled("0,0"), "bad.csv.gz, row 1: 65 columns are expected, but there are 66"),
    ];
    for (bytes, expected) in cases {
        fs::write(folder.0.join("bad.csv.gz"), bytes).unwrap();
        let error = refusal(&folder.digits(&["--data", "bad.csv.gz"]).output().unwrap());
        assert!(error.starts_with("bad.csv.gz, row ") && error.trim_end().ends_with(expected), "{error}");
    }
    let missing = refusal(&folder.digits(&["--data", "missing.csv.gz"]).output().unwrap());
    assert!(missing.starts_with("missing.csv.gz: "), "{missing}");
    assert_eq!(folder.files(), ["bad.csv.gz"]);
}

#[test]
fn good_data_from_a_file_is_taken() {
    let folder = Folder::new("good_data");
    fs::write(folder.0.join("digits.csv.gz"), embedded()).unwrap();
    let output = folder.digits(&["--data", "digits.csv.gz", "--epochs", "1"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(folder.files(), ["digits-out", "digits.csv.gz"]);
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_before_training() {
    let folder = Folder::new("no_folder");
    fs::write(folder.0.join("file"), "").unwrap();
    // Training for so long would never end.
    let output = folder.digits(&["--out", "file/inside", "--epochs", "4000000000"]).output().unwrap();
    let error = refusal(&output);
    assert!(error.starts_with("cannot write to `file/inside`: "), "{error}");
    assert_eq!(folder.files(), ["file"]);
}
