//! A case, as `data/README.md` describes it.

use std::{collections::BTreeMap, fs, path::Path};

use opswitch::TensorData;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) op: String,
    #[serde(rename = "case")]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) compare: Vec<String>,
    #[serde(default)]
    pub(crate) inputs: BTreeMap<String, Tensors>,
    #[serde(default)]
    pub(crate) params: Map<String, Value>,
    #[serde(default)]
    pub(crate) outputs: Vec<Tensor>,
    #[serde(default)]
    pub(crate) error: bool,
    #[serde(default)]
    pub(crate) grad_outputs: Option<Vec<Option<Tensor>>>,
    #[serde(default)]
    pub(crate) grads: BTreeMap<String, Tensors>,
    pub(crate) second_order_arg: Option<String>,
    pub(crate) second_order_v: Option<Tensor>,
    #[serde(default)]
    pub(crate) second_order: BTreeMap<String, Tensors>,
    #[serde(default)]
    pub(crate) second_order_grad_outputs: Vec<Option<Tensor>>,
}

impl Case {
    pub(crate) fn relative(&self) -> bool {
        self.compare.iter().any(|rule| rule == "relative")
    }

    pub(crate) fn zero_sign(&self) -> bool {
        self.compare.iter().any(|rule| rule == "zero_sign")
    }

    /// Makes every expected number wrong.
    pub(crate) fn spoil(&mut self) {
        let grads = self.grads.values_mut().flat_map(|tensors| tensors.0.iter_mut());
        for tensor in self.outputs.iter_mut().chain(grads) {
            let Numbers::Float(values) = &mut tensor.numbers else { continue };
            for value in values {
                *value += 0.5;
            }
        }
    }
}

/// One tensor, or the list that `cat` and `einsum` take.
pub(crate) struct Tensors(pub(crate) Vec<Tensor>);

impl<'de> Deserialize<'de> for Tensors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            One(Tensor),
            List(Vec<Tensor>),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::One(tensor) => Self(vec![tensor]),
            Form::List(tensors) => Self(tensors),
        })
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "RawTensor")]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) numbers: Numbers,
}

#[derive(Clone, Debug)]
pub(crate) enum Numbers {
    Float(Vec<f64>),
    Int(Vec<i64>),
    Bool(Vec<bool>),
}

impl Tensor {
    pub(crate) fn floats(&self) -> Option<&[f64]> {
        match &self.numbers {
            Numbers::Float(values) => Some(values),
            Numbers::Int(_) | Numbers::Bool(_) => None,
        }
    }

    pub(crate) fn data(&self) -> TensorData {
        let shape = self.shape.as_slice();
        let data = match &self.numbers {
            Numbers::Float(values) => TensorData::new(values.clone(), shape),
            Numbers::Int(values) => TensorData::new(values.clone(), shape),
            Numbers::Bool(values) => TensorData::new(values.clone(), shape),
        };
        data.expect("the shapes of the vectors are right")
    }
}

#[derive(Deserialize)]
struct RawTensor {
    shape: Vec<usize>,
    dtype: String,
    data: Vec<Value>,
}

impl TryFrom<RawTensor> for Tensor {
    type Error = String;

    fn try_from(RawTensor { shape, dtype, data }: RawTensor) -> Result<Self, String> {
        fn all<T>(data: &[Value], read: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, String> {
            data.iter()
                .map(|value| read(value).ok_or_else(|| format!("`{value}` is not of the type")))
                .collect()
        }
        let numbers = match dtype.as_str() {
            "f64" => Numbers::Float(all(&data, float)?),
            "i64" => Numbers::Int(all(&data, Value::as_i64)?),
            "bool" => Numbers::Bool(all(&data, Value::as_bool)?),
            other => return Err(format!("`{other}` is no type of the vectors")),
        };
        Ok(Self { shape, numbers })
    }
}

/// A number, or one of the strings for what JSON cannot write.
pub(crate) fn float(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.parse().ok(),
        _ => value.as_f64(),
    }
}

/// The cases of each file, by its name.
pub(crate) fn families() -> BTreeMap<String, Vec<Case>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let files =
        fs::read_dir(folder).expect("the vectors are there").map(|entry| entry.expect("an entry").path());
    let json = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let cases = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), cases)
    };
    json.map(read).collect()
}
