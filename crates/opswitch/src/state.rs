//! Named tensors in files.

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use bytemuck::allocation::pod_collect_to_vec;
use opswitch_core::{
    AnyTensor, Backend, DType, DataError, Device, Elements, Shape, TensorData, TensorKind,
    half::{bf16, f16},
};
use safetensors::{
    SafeTensorError, SafeTensors,
    tensor::{Dtype, TensorView},
};
use thiserror::Error;

use crate::{KindOps, Tensor};

/// The state of a model: tensors of any kinds, ranks and element types by name, saved in the format
/// [safetensors](https://huggingface.co/docs/safetensors), which other tools read and write.
///
/// ```
/// use opswitch::{DispatchDevice, Int, State, Tensor};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device: DispatchDevice = "cpu".parse()?;
/// let weight = Tensor::<2>::from_floats([[1.0, 2.0], [3.0, 4.0]], &device);
/// let steps = Tensor::<1, Int>::from_ints([7], &device);
///
/// # let folder = std::env::temp_dir().join(format!("opswitch-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("model.safetensors");
/// State::new().with("layer.weight", &weight)?.with("steps", &steps)?.save(&path)?;
///
/// let state = State::load(&path)?;
/// state.expect_names(["layer.weight", "steps"])?;
/// let weight = state.tensor_like("layer.weight", &weight)?;
/// let steps: Tensor<1, Int> = state.tensor("steps", &device)?;
/// assert_eq!(weight.to_string(), "[[1. 2.]\n [3. 4.]]");
/// assert_eq!(steps.to_string(), "[7]");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct State {
    tensors: BTreeMap<String, TensorData>,
    /// The file that it was loaded from, for messages.
    path: PathBuf,
}

/// A state that could not be saved, loaded or taken apart. The text names the file, and the tensor where there is one.
#[derive(Debug)]
pub struct StateError {
    path: PathBuf,
    kind: Box<StateErrorKind>,
}

impl StateError {
    fn new(path: &Path, kind: StateErrorKind) -> Self {
        Self { path: path.to_owned(), kind: Box::new(kind) }
    }

    /// The file; empty for a state that was not loaded from one.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong.
    pub fn kind(&self) -> &StateErrorKind {
        &self.kind
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", At(&self.path), self.kind)
    }
}

impl std::error::Error for StateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind.source()
    }
}

/// What is wrong with a state.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StateErrorKind {
    /// The file could not be read or written.
    #[error("{source}")]
    Io {
        /// What the system says.
        source: io::Error,
    },
    /// The file ends before the elements that its header lists.
    #[error("the file is cut off: it has {found} bytes, and its header asks for {expected}")]
    Truncated {
        /// The number of bytes that are needed.
        expected: u64,
        /// The number of bytes that are there.
        found: u64,
    },
    /// The file has another format.
    #[error("this is no file of safetensors: {reason}")]
    Foreign {
        /// What is wrong.
        reason: String,
    },
    /// The file lacks a tensor.
    #[error("there is no tensor `{tensor}`; there is {}", list(names))]
    Missing {
        /// The name of the tensor.
        tensor: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// The file has a tensor that nobody asked for.
    #[error("nobody asked for the tensor `{tensor}` of shape {shape} and type {dtype}")]
    Unexpected {
        /// The name of the tensor.
        tensor: String,
        /// Its shape.
        shape: Shape,
        /// Its element type.
        dtype: DType,
    },
    /// A tensor has another shape.
    #[error("tensor `{tensor}` has shape {found}, where {expected} is expected")]
    Shape {
        /// The name of the tensor.
        tensor: String,
        /// The shape that was asked for.
        expected: Shape,
        /// The shape that the file has.
        found: Shape,
    },
    /// A tensor has another number of dimensions.
    #[error("tensor `{tensor}` has shape {found}, where {expected} dimensions are expected")]
    Rank {
        /// The name of the tensor.
        tensor: String,
        /// The number of dimensions that was asked for.
        expected: usize,
        /// The shape that the file has.
        found: Shape,
    },
    /// A tensor has another element type.
    #[error("tensor `{tensor}` of shape {shape} has elements of type {found}, where {expected} is expected")]
    DType {
        /// The name of the tensor.
        tensor: String,
        /// Its shape.
        shape: Shape,
        /// What was asked for.
        expected: String,
        /// The type that the file has, as it is written there or in Rust.
        found: String,
    },
    /// The elements could not be read from a device or brought to one, or the file holds bytes that are none of their type.
    #[error("tensor `{tensor}` of shape {shape} and type {dtype}: {source}")]
    Data {
        /// The name of the tensor.
        tensor: String,
        /// Its shape.
        shape: Shape,
        /// Its element type.
        dtype: DType,
        /// What is wrong.
        source: DataError,
    },
}

/// A file, or what stands for it in a state that was not loaded from one.
struct At<'a>(&'a Path);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.as_os_str().is_empty() { f.write_str("a state in memory") } else { self.0.display().fmt(f) }
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        _ => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

impl State {
    /// A state without tensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// This state with a tensor, which is read from its device. One of the same name is replaced.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub fn with<const D: usize, K: KindOps<B>, B: Backend>(
        mut self,
        name: impl Into<String>,
        tensor: &Tensor<D, K, B>,
    ) -> Result<Self, StateError> {
        let name = name.into();
        match tensor.clone().into_data() {
            Ok(data) => {
                self.tensors.insert(name, data);
                Ok(self)
            }
            Err(source) => Err(self.data_error(&name, tensor.shape().into(), tensor.dtype(), source)),
        }
    }

    /// This state with tensors that are read in one go, with one wait for each device.
    ///
    /// # Errors
    ///
    /// If a device fails.
    pub fn with_all<B: Backend, N: Into<String>>(
        mut self,
        tensors: impl IntoIterator<Item = (N, AnyTensor<B>)>,
    ) -> Result<Self, DataError> {
        let (names, tensors): (Vec<N>, Vec<AnyTensor<B>>) = tensors.into_iter().unzip();
        let data = B::read_many_blocking(tensors)?;
        self.tensors.extend(names.into_iter().map(Into::into).zip(data));
        Ok(self)
    }

    /// This state with elements of the host.
    #[must_use]
    pub fn with_data(mut self, name: impl Into<String>, data: TensorData) -> Self {
        self.tensors.insert(name.into(), data);
        self
    }

    /// The names of the tensors, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// The elements of a tensor.
    ///
    /// # Errors
    ///
    /// If there is no tensor of this name.
    pub fn data(&self, name: &str) -> Result<&TensorData, StateError> {
        self.tensors.get(name).ok_or_else(|| {
            let names = self.tensors.keys().cloned().collect();
            self.error(StateErrorKind::Missing { tensor: name.to_owned(), names })
        })
    }

    /// A tensor on a device, with the element type that it has here. Ints that the device lacks become its own, if those hold
    /// every value.
    ///
    /// # Errors
    ///
    /// If there is no tensor of this name, it has another rank or kind, or the device cannot hold it.
    pub fn tensor<const D: usize, K: KindOps<B>, B: Backend>(
        &self,
        name: &str,
        device: &Device<B>,
    ) -> Result<Tensor<D, K, B>, StateError> {
        let data = self.data(name)?;
        if data.shape().rank() != D {
            return Err(self.error(StateErrorKind::Rank {
                tensor: name.to_owned(),
                expected: D,
                found: data.shape().clone(),
            }));
        }
        if !K::holds(data.dtype()) {
            return Err(self.dtype_error(name, data, format!("one of kind {}", K::NAME)));
        }
        self.place::<D, K, B>(name, data.clone(), device)
    }

    /// A tensor with the shape, element type and device of another: what a model has that was made anew.
    ///
    /// # Errors
    ///
    /// If there is no tensor of this name, it has another shape or element type, or the device fails.
    pub fn tensor_like<const D: usize, K: KindOps<B>, B: Backend>(
        &self,
        name: &str,
        like: &Tensor<D, K, B>,
    ) -> Result<Tensor<D, K, B>, StateError> {
        let (data, expected) = (self.data(name)?, Shape::from(like.shape()));
        if *data.shape() != expected {
            return Err(self.error(StateErrorKind::Shape {
                tensor: name.to_owned(),
                expected,
                found: data.shape().clone(),
            }));
        }
        if data.dtype() != like.dtype() {
            return Err(self.dtype_error(name, data, like.dtype().to_string()));
        }
        self.place::<D, K, B>(name, data.clone(), &like.device())
    }

    fn place<const D: usize, K: TensorKind, B: Backend>(
        &self,
        name: &str,
        data: TensorData,
        device: &Device<B>,
    ) -> Result<Tensor<D, K, B>, StateError> {
        let (shape, dtype) = (data.shape().clone(), data.dtype());
        let fits = !dtype.is_int() || B::supports(dtype, device);
        let data = if fits { Ok(data) } else { data.cast_exact(B::int_dtype(device)) };
        let primitive = data.and_then(|data| K::from_data::<B>(data, device));
        let primitive = primitive.map_err(|source| self.data_error(name, shape, dtype, source))?;
        Ok(Tensor::from_primitive(primitive))
    }

    /// Checks that the tensors have these names: each of them, and no other.
    ///
    /// # Errors
    ///
    /// If one is missing, or there is another one.
    pub fn expect_names<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), StateError> {
        let mut left: BTreeMap<&str, &TensorData> =
            self.tensors.iter().map(|(name, data)| (name.as_str(), data)).collect();
        for name in names {
            self.data(name)?;
            left.remove(name);
        }
        match left.pop_first() {
            None => Ok(()),
            Some((name, data)) => Err(self.error(StateErrorKind::Unexpected {
                tensor: name.to_owned(),
                shape: data.shape().clone(),
                dtype: data.dtype(),
            })),
        }
    }

    /// Saves the tensors. Under the name is at any time either the file that was there before or all of the new one, also after
    /// a crash: the bytes go to a file beside it, are brought to the disk, and take the name then.
    ///
    /// # Errors
    ///
    /// If the system cannot write the file. What was there before stays.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), StateError> {
        let path = path.as_ref();
        let bytes = self.to_bytes().map_err(|error| foreign(path, &error))?;
        write_atomically(path, &bytes).map_err(|source| StateError::new(path, StateErrorKind::Io { source }))
    }

    fn to_bytes(&self) -> Result<Vec<u8>, SafeTensorError> {
        let bytes: Vec<Vec<u8>> = self.tensors.values().map(little_endian_bytes).collect();
        let views = self.tensors.iter().zip(&bytes).map(|((name, data), bytes)| {
            Ok((name, TensorView::new(file_dtype(data.dtype()), data.shape().to_vec(), bytes)?))
        });
        safetensors::serialize(views.collect::<Result<Vec<_>, SafeTensorError>>()?, None)
    }

    /// Loads what [`save`](Self::save) or another tool has written.
    ///
    /// # Errors
    ///
    /// If the system cannot read the file, it is cut off or of another format, or a tensor has an element type that there is
    /// none for here.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, StateError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| StateError::new(path, StateErrorKind::Io { source }))?;
        check_length(path, &bytes)?;
        let views = SafeTensors::deserialize(&bytes).map_err(|error| foreign(path, &error))?;
        let mut state = Self { tensors: BTreeMap::new(), path: path.to_owned() };
        for (name, view) in views.iter() {
            let data = state.read(name, &view)?;
            state.tensors.insert(name.to_owned(), data);
        }
        Ok(state)
    }

    fn read(&self, name: &str, view: &TensorView<'_>) -> Result<TensorData, StateError> {
        let shape = Shape::from(view.shape());
        let Some(dtype) = own_dtype(view.dtype()) else {
            return Err(self.error(StateErrorKind::DType {
                tensor: name.to_owned(),
                shape,
                expected: "one of f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8 and bool"
                    .to_owned(),
                found: format!("{:?}", view.dtype()),
            }));
        };
        elements(dtype, view.data())
            .and_then(|elements| TensorData::from_elements(elements, shape.clone()))
            .map_err(|source| self.data_error(name, shape, dtype, source))
    }

    fn error(&self, kind: StateErrorKind) -> StateError {
        StateError::new(&self.path, kind)
    }

    fn dtype_error(&self, name: &str, data: &TensorData, expected: String) -> StateError {
        self.error(StateErrorKind::DType {
            tensor: name.to_owned(),
            shape: data.shape().clone(),
            expected,
            found: data.dtype().to_string(),
        })
    }

    fn data_error(&self, name: &str, shape: Shape, dtype: DType, source: DataError) -> StateError {
        self.error(StateErrorKind::Data { tensor: name.to_owned(), shape, dtype, source })
    }
}

fn foreign(path: &Path, error: &SafeTensorError) -> StateError {
    StateError::new(path, StateErrorKind::Foreign { reason: error.to_string() })
}

/// The greatest header that the format allows.
const MAX_HEADER: u64 = 100_000_000;

/// Tells a file that is cut off from one of another format: it starts with the length of a header in JSON, which is cut off
/// itself or says where the elements of the last tensor end.
fn check_length(path: &Path, bytes: &[u8]) -> Result<(), StateError> {
    let found = bytes.len() as u64;
    let truncated = |expected| StateError::new(path, StateErrorKind::Truncated { expected, found });
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(truncated(8));
    };
    let header = u64::from_le_bytes(*length);
    if header > MAX_HEADER || rest.first().is_some_and(|&first| first != b'{') {
        let reason = "it does not start with the length of a header and the header".to_owned();
        return Err(StateError::new(path, StateErrorKind::Foreign { reason }));
    }
    let Some(header) = rest.get(..header as usize) else {
        return Err(truncated(8 + header));
    };
    let end = |_: &SafeTensorError| end_of_data(header).map(|end| 8 + header.len() as u64 + end);
    match SafeTensors::read_metadata(bytes).as_ref().map_err(end) {
        Err(Some(expected)) if expected > found => Err(truncated(expected)),
        _ => Ok(()),
    }
}

/// Where the elements of the last tensor end, by a header.
fn end_of_data(header: &[u8]) -> Option<u64> {
    let header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header).ok()?;
    header.values().filter_map(|tensor| tensor["data_offsets"][1].as_u64()).max()
}

fn file_dtype(dtype: DType) -> Dtype {
    match dtype {
        DType::F64 => Dtype::F64,
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::I64 => Dtype::I64,
        DType::I32 => Dtype::I32,
        DType::I16 => Dtype::I16,
        DType::I8 => Dtype::I8,
        DType::U64 => Dtype::U64,
        DType::U32 => Dtype::U32,
        DType::U16 => Dtype::U16,
        DType::U8 => Dtype::U8,
        DType::Bool => Dtype::BOOL,
        _ => unreachable!("every element type is listed"),
    }
}

fn own_dtype(dtype: Dtype) -> Option<DType> {
    DType::ALL.into_iter().find(|&own| file_dtype(own) == dtype)
}

/// The elements as the format has them.
fn little_endian_bytes(data: &TensorData) -> Vec<u8> {
    swapped(data.as_bytes().to_vec(), data.dtype())
}

/// Bytes of this machine's order as bytes of the format's, and the other way round.
fn swapped(mut bytes: Vec<u8>, dtype: DType) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
    }
    bytes
}

/// The elements that these bytes of a file are.
fn elements(dtype: DType, bytes: &[u8]) -> Result<Elements, DataError> {
    let bytes = swapped(bytes.to_vec(), dtype);
    Ok(match dtype {
        DType::F64 => Elements::new(pod_collect_to_vec::<u8, f64>(&bytes)),
        DType::F32 => Elements::new(pod_collect_to_vec::<u8, f32>(&bytes)),
        DType::F16 => Elements::new(pod_collect_to_vec::<u8, f16>(&bytes)),
        DType::BF16 => Elements::new(pod_collect_to_vec::<u8, bf16>(&bytes)),
        DType::I64 => Elements::new(pod_collect_to_vec::<u8, i64>(&bytes)),
        DType::I32 => Elements::new(pod_collect_to_vec::<u8, i32>(&bytes)),
        DType::I16 => Elements::new(pod_collect_to_vec::<u8, i16>(&bytes)),
        DType::I8 => Elements::new(pod_collect_to_vec::<u8, i8>(&bytes)),
        DType::U64 => Elements::new(pod_collect_to_vec::<u8, u64>(&bytes)),
        DType::U32 => Elements::new(pod_collect_to_vec::<u8, u32>(&bytes)),
        DType::U16 => Elements::new(pod_collect_to_vec::<u8, u16>(&bytes)),
        DType::U8 => Elements::new(bytes),
        DType::Bool => match bytes.iter().position(|&byte| byte > 1) {
            None => Elements::new(bytes.into_iter().map(|byte| byte == 1).collect::<Vec<bool>>()),
            Some(position) => {
                return Err(DataError::Value { position, value: bytes[position].to_string(), dtype });
            }
        },
        _ => unreachable!("every element type is listed"),
    })
}

/// Writes a file under a name of its own, and gives it this one when it is on the disk.
fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (temporary, mut file) = create_beside(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        // The first failure is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    renamed?;
    sync_folder(path)
}

fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name");
    let name = path.file_name().ok_or_else(no_name)?;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut own = std::ffi::OsString::from(".");
        own.push(name);
        own.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = path.with_file_name(own);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((temporary, file?)),
        }
    }
}

/// Brings the new name to the disk as well, where folders can be opened.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
