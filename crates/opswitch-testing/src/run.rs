//! Making tensors, calling the op, and reading what it gives.

use opswitch_core::{
    AnyTensor, DType, DataError, Device, DispatchDeviceHandle, Shape, Slice, TensorData, TensorHandle,
};

use crate::{
    conformance::{Call, TestedDispatch},
    input::{Made, Place},
    quiet::catch,
    values::{self, Kind, Layout},
    variant::{Arg, HostTensor, Variant},
};

/// The float types, widest first.
const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];

/// The float types that a device has, widest first.
pub(crate) fn float_dtypes<D: TestedDispatch>(device: &Device<D>) -> Vec<DType> {
    let has = |dtype: &DType| {
        D::float_from_data(
            TensorData::new(vec![0.0f64], [1]).map_or_else(|e| panic!("{e}"), |data| data.cast(*dtype)),
            device,
        )
        .is_ok()
    };
    FLOATS.into_iter().filter(has).collect()
}

/// The place where expected results come from: the CPU in `f64`, or else the first device with that type.
///
/// # Panics
///
/// If no device has it.
pub(crate) fn oracle<D: TestedDispatch>() -> Place<D> {
    let mut devices = D::devices();
    devices.sort_by_key(|device| device.backend_name() != "cpu");
    let exact = devices.into_iter().find(|device| float_dtypes::<D>(device).contains(&DType::F64));
    let device = exact.expect("the dispatch lists a backend with `f64`, such as `opswitch_cpu::Cpu`");
    Place { device, dtype: DType::F64 }
}

/// The tensors of a variant, in order.
///
/// # Errors
///
/// If the device has no elements of their type.
pub(crate) fn make_all<D: TestedDispatch>(
    variant: &Variant,
    layout: Layout,
    place: &Place<D>,
) -> Result<Vec<AnyTensor<D>>, DataError> {
    let tensors = variant.tensors().into_iter().enumerate();
    tensors.map(|(position, (_, tensor))| make(tensor, layout.of(position), place)).collect()
}

/// A tensor on a device.
///
/// # Errors
///
/// If the device has no elements of its type.
pub(crate) fn make<D: TestedDispatch>(
    tensor: &HostTensor,
    layout: Layout,
    place: &Place<D>,
) -> Result<AnyTensor<D>, DataError> {
    let data = &tensor.data;
    let shape = data.shape();
    let upload = |data: TensorData| upload(tensor, data, place);
    match (layout, values::repeated_dim(shape)) {
        (Layout::Transposed, _) => {
            let axes = values::reversed_axes(shape.rank());
            upload(values::transposed(data)).map(|made| permute(made, &axes))
        }
        (Layout::Sliced, _) => {
            upload(values::spread_out(data)).map(|made| slice(made, &odd_positions(shape)))
        }
        (Layout::Expanded, Some(dim)) => {
            upload(values::first_along(data, dim)).map(|made| expand(made, shape.clone()))
        }
        _ => upload(data.clone()),
    }
}

fn upload<D: TestedDispatch>(
    tensor: &HostTensor,
    data: TensorData,
    place: &Place<D>,
) -> Result<AnyTensor<D>, DataError> {
    let device = &place.device;
    match tensor.kind {
        Kind::Float => D::float_from_data(data.cast(place.dtype), device).map(AnyTensor::Float),
        Kind::Int => {
            let dtype = tensor.dtype.unwrap_or_else(|| D::int_dtype(device));
            D::int_from_data(data.cast(dtype), device).map(AnyTensor::Int)
        }
        Kind::Bool => D::bool_from_data(data, device).map(AnyTensor::Bool),
    }
}

/// What takes the elements back out that [`values::spread_out`] has put at odd positions.
fn odd_positions(shape: &Shape) -> Vec<Slice> {
    let along = |(dim, &extent): (usize, &usize)| {
        let last = (2 * extent) as isize - 1;
        match (extent, dim % 2) {
            (0, _) => Slice::new(Some(0), Some(0), 1),
            (_, 0) => Slice::new(Some(1), None, 2),
            _ => Slice::new(Some(last), None, -2),
        }
    };
    shape.iter().enumerate().map(along).collect()
}

macro_rules! for_kinds {
    ($made:ident, $float:ident, $int:ident, $bool:ident, |$tensor:ident| ($($argument:expr),*)) => {
        match $made {
            AnyTensor::Float($tensor) => AnyTensor::Float(D::$float($($argument),*)),
            AnyTensor::Int($tensor) => AnyTensor::Int(D::$int($($argument),*)),
            AnyTensor::Bool($tensor) => AnyTensor::Bool(D::$bool($($argument),*)),
            quantized @ AnyTensor::Quantized(_) => quantized,
        }
    };
}

fn permute<D: TestedDispatch>(made: AnyTensor<D>, axes: &[usize]) -> AnyTensor<D> {
    for_kinds!(made, float_permute, int_permute, bool_permute, |tensor| (tensor, axes))
}

fn slice<D: TestedDispatch>(made: AnyTensor<D>, slices: &[Slice]) -> AnyTensor<D> {
    for_kinds!(made, float_slice, int_slice, bool_slice, |tensor| (tensor, slices))
}

fn expand<D: TestedDispatch>(made: AnyTensor<D>, shape: Shape) -> AnyTensor<D> {
    for_kinds!(made, float_expand, int_expand, bool_expand, |tensor| (tensor, shape))
}

/// The arguments of a variant, with these tensors for its own.
pub(crate) fn assemble<D: TestedDispatch>(variant: &Variant, tensors: Vec<AnyTensor<D>>) -> Vec<Made<D>> {
    fn one<D: TestedDispatch>(arg: &Arg, tensors: &mut impl Iterator<Item = AnyTensor<D>>) -> Made<D> {
        match arg {
            Arg::Tensor(_) => Made::Tensor(tensors.next().expect("one is made for each")),
            Arg::Option(inner) => Made::Option(inner.as_ref().map(|inner| Box::new(one(inner, tensors)))),
            Arg::List(list) => Made::List(list.iter().map(|inner| one(inner, tensors)).collect()),
            Arg::Parameter => Made::Parameter,
        }
    }
    let mut tensors = tensors.into_iter();
    variant.args.iter().map(|arg| one(arg, &mut tensors)).collect()
}

/// Why a run gave no result.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The device has no elements of the type.
    Unsupported(String),
    /// The op, or reading its result, failed: the text alone, and with the place.
    Failed { text: String, full: String },
}

impl Stop {
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Failed { full: text.clone(), text }
    }

    /// Runs what may panic.
    ///
    /// # Errors
    ///
    /// If it stops.
    pub(crate) fn catch<T>(call: impl FnOnce() -> Result<T, Self>) -> Result<T, Self> {
        catch(call).unwrap_or_else(|panic| {
            // The words of `OpError::Unsupported`.
            if panic.text.contains("has no elements of type") {
                return Err(Self::Unsupported(panic.text));
            }
            Err(Self::Failed { full: format!("panics: {panic}"), text: panic.text })
        })
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Unsupported(text) | Self::Failed { text, .. } => text,
        }
    }

    pub(crate) fn full(&self) -> &str {
        match self {
            Self::Unsupported(text) | Self::Failed { full: text, .. } => text,
        }
    }
}

impl From<DataError> for Stop {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Unsupported { .. } | DataError::UnsupportedOnDevice { .. } => {
                Self::Unsupported(error.to_string())
            }
            error => Self::failed(format!("fails: {error}")),
        }
    }
}

/// Makes the tensors of a variant, calls the op, and reads its result.
///
/// # Errors
///
/// If one of these fails.
pub(crate) fn run<D: TestedDispatch>(
    call: &Call<D>,
    variant: &Variant,
    layout: Layout,
    place: &Place<D>,
) -> Result<Vec<TensorData>, Stop> {
    Stop::catch(|| {
        let tensors = make_all(variant, layout, place)?;
        read(call(assemble(variant, tensors), place), place)
    })
}

/// A run during which somebody else holds the inputs.
pub(crate) struct HeldRun {
    pub(crate) outputs: Vec<TensorData>,
    pub(crate) inputs_before: Vec<TensorData>,
    pub(crate) inputs_after: Vec<TensorData>,
}

/// Runs the op while its inputs are held, and reads those before and after.
///
/// # Errors
///
/// If a step fails.
pub(crate) fn run_with_held_inputs<D: TestedDispatch>(
    call: &Call<D>,
    variant: &Variant,
    place: &Place<D>,
) -> Result<HeldRun, Stop> {
    Stop::catch(|| {
        let held = make_all(variant, Layout::Contiguous, place)?;
        let inputs_before = D::read_many_blocking(held.clone())?;
        let outputs = read(call(assemble(variant, held.clone()), place), place)?;
        let inputs_after = D::read_many_blocking(held)?;
        Ok(HeldRun { outputs, inputs_before, inputs_after })
    })
}

/// Reads results, which are where the op ran, and hold what their handles claim.
///
/// # Errors
///
/// If that is not so, or a device fails.
pub(crate) fn read<D: TestedDispatch>(
    outputs: Vec<AnyTensor<D>>,
    place: &Place<D>,
) -> Result<Vec<TensorData>, Stop> {
    if outputs.is_empty() {
        return Err(Stop::failed(
            "gives no tensor; if it returns a `Result`, call it in a closure that unwraps that",
        ));
    }
    let claims: Vec<_> = outputs.iter().map(claim).collect();
    let data = D::read_many_blocking(outputs)?;
    for (data, (shape, dtype, device)) in data.iter().zip(claims) {
        if (data.shape(), data.dtype()) != (&shape, dtype) {
            let (found, held) = (data.shape(), data.dtype());
            return Err(Stop::failed(format!(
                "gives a tensor that says {dtype}{shape} and holds {held}{found}"
            )));
        }
        if plain(&device) != plain(&place.device) {
            return Err(Stop::failed(format!(
                "runs on `{}`, and gives a tensor of `{device}`",
                place.device
            )));
        }
    }
    Ok(data)
}

fn claim<D: TestedDispatch>(tensor: &AnyTensor<D>) -> (Shape, DType, Device<D>) {
    match tensor {
        AnyTensor::Float(tensor) => (tensor.shape(), tensor.dtype(), tensor.device()),
        AnyTensor::Int(tensor) => (tensor.shape(), tensor.dtype(), tensor.device()),
        AnyTensor::Bool(tensor) => (tensor.shape(), tensor.dtype(), tensor.device()),
        AnyTensor::Quantized(tensor) => (tensor.shape(), tensor.dtype(), tensor.device()),
    }
}

/// The text of a device without the autodiff around it.
pub(crate) fn plain(device: &impl ToString) -> String {
    let text = device.to_string();
    let inner = text.strip_prefix("autodiff(").and_then(|text| text.strip_suffix(')'));
    inner.map_or(text.clone(), ToOwned::to_owned)
}
