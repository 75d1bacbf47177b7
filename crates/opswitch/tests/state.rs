//! States in files: every type, and each way in which a file can be wrong.
#![cfg(all(feature = "cpu", feature = "safetensors"))]

use std::{
    fs,
    path::{Path, PathBuf},
};

use opswitch::{
    AnyTensor, Bool, DType, Device, Dispatch, Elements, Int, State, StateError, StateErrorKind, Tensor,
    TensorData,
};

fn cpu() -> Device<Dispatch> {
    "cpu".parse().expect("the default features bring the CPU")
}

/// A folder that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("opswitch-state-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for files");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("model.safetensors")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn weight() -> Tensor<2> {
    Tensor::from_floats([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &cpu())
}

/// A good file with a weight and a bias.
fn good(folder: &Folder) -> Vec<u8> {
    let bias = Tensor::<1>::from_floats([0.5], &cpu());
    let state = State::new().with("weight", &weight()).unwrap().with("bias", &bias).unwrap();
    state.save(folder.file()).unwrap();
    fs::read(folder.file()).unwrap()
}

#[track_caller]
fn load_error(path: &Path, bytes: &[u8]) -> (StateError, String) {
    fs::write(path, bytes).unwrap();
    let error = State::load(path).expect_err("the file is wrong");
    let text = error.to_string();
    assert!(text.starts_with(&path.display().to_string()), "{text}");
    (error, text)
}

/// A file with this header and these bytes behind it.
fn handmade(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

#[test]
fn every_element_type_comes_back() {
    let folder = Folder::new("types");
    let mut state = State::new();
    for dtype in DType::ALL {
        let values = TensorData::from_elements(Elements::new(vec![0i64, 1, 2, -3]), [2, 2]).unwrap();
        state = state.with_data(dtype.name(), values.cast(dtype));
    }
    let state = state.with_data("no elements", TensorData::new(Vec::<f32>::new(), [0, 3]).unwrap());
    let state = state.with_data("a number", TensorData::new(vec![2.5f64], []).unwrap());
    state.save(folder.file()).unwrap();
    let loaded = State::load(folder.file()).unwrap();
    assert_eq!(loaded.names().collect::<Vec<_>>(), state.names().collect::<Vec<_>>());
    for name in state.names() {
        assert_eq!(loaded.data(name).unwrap(), state.data(name).unwrap(), "{name}");
    }
}

#[test]
fn tensors_of_each_kind_come_back() {
    let folder = Folder::new("kinds");
    let device: Device<Dispatch> = "autodiff(cpu)".parse().unwrap();
    let weight = Tensor::<2>::from_floats([[1.0, -2.0]], &device).require_grad();
    let steps = Tensor::<1, Int>::from_ints([3, -4], &cpu());
    let mask = Tensor::<1, Bool>::from_bools([true, false], &cpu());
    let tensors: [(&str, AnyTensor<Dispatch>); 2] = [("steps", steps.into()), ("mask", mask.into())];
    let state = State::new().with("weight", &weight.clone().transpose()).unwrap().with_all(tensors).unwrap();
    state.save(folder.file()).unwrap();
    let state = State::load(folder.file()).unwrap();
    state.expect_names(["mask", "steps", "weight"]).unwrap();
    let weight: Tensor<2> = state.tensor("weight", &device).unwrap();
    let (steps, mask): (Tensor<1, Int>, Tensor<1, Bool>) =
        (state.tensor("steps", &cpu()).unwrap(), state.tensor("mask", &cpu()).unwrap());
    assert_eq!((weight.to_vec::<f32>().unwrap(), weight.shape()), (vec![1.0, -2.0], [2, 1]));
    assert_eq!(weight.device(), device);
    assert_eq!(steps.to_vec::<i64>().unwrap(), [3, -4]);
    assert_eq!(mask.to_vec::<bool>().unwrap(), [true, false]);
}

#[test]
fn a_file_of_another_tool_loads() {
    let folder = Folder::new("handmade");
    // Metadata, spaces, and the tensors in an order of their own.
    let header = r#"{ "__metadata__": {"format": "pt"},
        "b": {"dtype": "BF16", "shape": [1], "data_offsets": [8, 10]},
        "a": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]} }   "#;
    let mut data = [1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat();
    data.extend([0x80, 0x3f]);
    fs::write(folder.file(), handmade(header, &data)).unwrap();
    let state = State::load(folder.file()).unwrap();
    assert_eq!(state.data("a").unwrap(), &TensorData::new(vec![1.5f32, -2.0], [1, 2]).unwrap());
    assert_eq!(state.data("b").unwrap().to_vec::<f32>(), [1.0]);
    assert_eq!(state.data("b").unwrap().dtype(), DType::BF16);
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused() {
    let folder = Folder::new("truncated");
    let bytes = good(&folder);
    for len in 0..bytes.len() {
        let (error, text) = load_error(&folder.file(), &bytes[..len]);
        let &StateErrorKind::Truncated { expected, found } = error.kind() else {
            panic!("{len} bytes: {text}")
        };
        assert!(found == len as u64 && found < expected && expected <= bytes.len() as u64, "{text}");
    }
}

#[test]
fn a_foreign_file_is_refused() {
    let folder = Folder::new("foreign");
    let bytes = good(&folder);
    let with = |change: fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        bytes
    };
    for bytes in [
        b"\x89PNG\r\n\x1a\n and more".to_vec(),
        b"# a text that is longer than its first eight bytes".to_vec(),
        with(|bytes| bytes[9] = b'!'),
        with(|bytes| bytes.extend([0; 4])),
        handmade(r#"{"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}"#, &[0; 8]),
        handmade(r#"{"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}"#, &[0; 8]),
        handmade(r#"{"a": {"dtype": "F33", "shape": [2], "data_offsets": [0, 8]}}"#, &[0; 8]),
    ] {
        let (error, text) = load_error(&folder.file(), &bytes);
        assert!(matches!(error.kind(), StateErrorKind::Foreign { .. }), "{text}");
    }
}

#[test]
fn elements_that_there_is_no_type_for_are_refused_by_name() {
    let folder = Folder::new("elements");
    let header = r#"{"scales": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}}"#;
    let (error, text) = load_error(&folder.file(), &handmade(header, &[0; 2]));
    assert!(matches!(error.kind(), StateErrorKind::DType { .. }), "{text}");
    assert!(text.contains("`scales` of shape [2] has elements of type F8_E4M3"), "{text}");
    let header = r#"{"mask": {"dtype": "BOOL", "shape": [2], "data_offsets": [0, 2]}}"#;
    let (error, text) = load_error(&folder.file(), &handmade(header, &[1, 7]));
    assert!(matches!(error.kind(), StateErrorKind::Data { .. }), "{text}");
    assert!(
        text.ends_with("`mask` of shape [2] and type bool: element 1 is 7, which bool cannot hold"),
        "{text}"
    );
}

#[test]
fn a_file_that_does_not_fit_says_what_does_not() {
    let folder = Folder::new("misfits");
    good(&folder);
    let state = State::load(folder.file()).unwrap();
    let path = folder.file().display().to_string();
    let text = |result: Result<(), StateError>| result.expect_err("the file does not fit").to_string();
    assert_eq!(
        text(state.expect_names(["weight", "bias", "scale"])),
        format!("{path}: there is no tensor `scale`; there is `bias`, `weight`")
    );
    assert_eq!(
        text(state.expect_names(["weight"])),
        format!("{path}: nobody asked for the tensor `bias` of shape [1] and type f32")
    );
    assert_eq!(
        text(state.tensor::<2, opswitch::Float, Dispatch>("scale", &cpu()).map(drop)),
        format!("{path}: there is no tensor `scale`; there is `bias`, `weight`")
    );
    assert_eq!(
        text(state.tensor_like("weight", &weight().transpose()).map(drop)),
        format!("{path}: tensor `weight` has shape [2, 3], where [3, 2] is expected")
    );
    assert_eq!(
        text(state.tensor::<1, opswitch::Float, Dispatch>("weight", &cpu()).map(drop)),
        format!("{path}: tensor `weight` has shape [2, 3], where 1 dimensions are expected")
    );
    assert_eq!(
        text(state.tensor_like("weight", &weight().cast(DType::F64)).map(drop)),
        format!("{path}: tensor `weight` of shape [2, 3] has elements of type f32, where f64 is expected")
    );
    assert_eq!(
        text(state.tensor::<2, Int, Dispatch>("weight", &cpu()).map(drop)),
        format!(
            "{path}: tensor `weight` of shape [2, 3] has elements of type f32, where one of kind int is expected"
        )
    );
}

#[test]
fn a_state_in_memory_has_no_file_to_name() {
    let error = State::new().with("weight", &weight()).unwrap().data("bias").map(drop).unwrap_err();
    assert_eq!(error.to_string(), "a state in memory: there is no tensor `bias`; there is `weight`");
}

#[test]
fn saving_replaces_the_file_and_leaves_nothing_beside_it() {
    let folder = Folder::new("replace");
    good(&folder);
    State::new().with("other", &weight()).unwrap().save(folder.file()).unwrap();
    assert_eq!(State::load(folder.file()).unwrap().names().collect::<Vec<_>>(), ["other"]);
    assert_eq!(folder.names(), ["model.safetensors"]);
}

#[test]
fn a_failed_save_leaves_what_was_there() {
    let folder = Folder::new("failed");
    // A folder in the place of the file cannot be replaced by one.
    let path = folder.file();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("inside"), "kept").unwrap();
    let error = State::new().with("weight", &weight()).unwrap().save(&path).expect_err("a folder is there");
    assert!(error.path() == path && matches!(error.kind(), StateErrorKind::Io { .. }), "{error}");
    assert_eq!(fs::read_to_string(path.join("inside")).unwrap(), "kept");
    assert_eq!(folder.names(), ["model.safetensors"]);
    let nowhere = folder.0.join("missing/model.safetensors");
    for result in [State::new().save(&nowhere), State::load(&nowhere).map(drop)] {
        assert!(matches!(result.unwrap_err().kind(), StateErrorKind::Io { .. }));
    }
}
