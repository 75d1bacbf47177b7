//! What an op is called with, and what it gives.

use std::collections::BTreeMap;

use opswitch::{
    AutodiffOps as _, Backend as _, Bool, BoolTensor, DType, Dispatch, DispatchDevice, Float, FloatTensor,
    Int, IntTensor, QuantBits, QuantLevel, QuantMode, QuantScheme, Shape, Slice, TensorData,
    TensorHandle as _,
    ops::{BoolOps as _, FloatOps as _, IntOps as _, PadMode},
};
use serde_json::Value;

use crate::{
    case::{Case, Numbers, Tensor, float},
    check::Mode,
};

/// The inputs of a case as tensors, and its parameters.
pub(crate) struct Args<'a> {
    case: &'a Case,
    mode: &'a Mode,
    floats: BTreeMap<&'a str, Vec<FloatTensor<Dispatch>>>,
}

impl<'a> Args<'a> {
    /// The floats are tracked if the case asks for gradients.
    pub(crate) fn new(case: &'a Case, mode: &'a Mode, tracked: bool) -> Self {
        let float = |tensor: &Tensor| {
            let tensor = mode.float(tensor, mode.dtype);
            if tracked {
                Dispatch::require_grad(tensor).expect("the device is an autodiff one")
            } else {
                tensor
            }
        };
        let floats = case.inputs.iter().filter_map(|(name, tensors)| {
            let is_float = tensors.0.iter().all(|tensor| matches!(tensor.numbers, Numbers::Float(_)));
            is_float.then(|| (name.as_str(), tensors.0.iter().map(float).collect()))
        });
        Self { case, mode, floats: floats.collect() }
    }

    /// An input that is one tensor.
    fn input(&self, name: &str) -> &'a Tensor {
        let tensors = self.case.inputs.get(name).unwrap_or_else(|| panic!("no input `{name}`"));
        &tensors.0[0]
    }

    pub(crate) fn device(&self) -> &DispatchDevice {
        &self.mode.device
    }

    pub(crate) fn dtype(&self) -> DType {
        self.mode.dtype
    }

    pub(crate) fn float(&self, name: &str) -> FloatTensor<Dispatch> {
        self.floats(name).swap_remove(0)
    }

    /// A float that may not be given.
    pub(crate) fn optional_float(&self, name: &str) -> Option<FloatTensor<Dispatch>> {
        self.floats.get(name).map(|tensors| tensors[0].clone())
    }

    pub(crate) fn floats(&self, name: &str) -> Vec<FloatTensor<Dispatch>> {
        self.floats.get(name).unwrap_or_else(|| panic!("no float input `{name}`")).clone()
    }

    pub(crate) fn int(&self, name: &str) -> IntTensor<Dispatch> {
        self.mode.int(self.input(name), self.int_dtype())
    }

    pub(crate) fn optional_int(&self, name: &str) -> Option<IntTensor<Dispatch>> {
        self.case.inputs.contains_key(name).then(|| self.int(name))
    }

    pub(crate) fn ints(&self, name: &str) -> Vec<IntTensor<Dispatch>> {
        self.case.inputs[name].0.iter().map(|tensor| self.mode.int(tensor, self.int_dtype())).collect()
    }

    pub(crate) fn bool(&self, name: &str) -> BoolTensor<Dispatch> {
        self.mode.bool(self.input(name))
    }

    pub(crate) fn optional_bool(&self, name: &str) -> Option<BoolTensor<Dispatch>> {
        let tensor = &self.case.inputs.get(name)?.0[0];
        matches!(tensor.numbers, Numbers::Bool(_)).then(|| self.bool(name))
    }

    pub(crate) fn bools(&self, name: &str) -> Vec<BoolTensor<Dispatch>> {
        self.case.inputs[name].0.iter().map(|tensor| self.mode.bool(tensor)).collect()
    }

    /// The ints of the device.
    pub(crate) fn device_ints(&self) -> DType {
        Dispatch::int_dtype(self.device())
    }

    /// Integers are of the type that the case computes in; one that is cast to it starts as an int of the device.
    fn int_dtype(&self) -> DType {
        match self.case.params.get("dtype") {
            Some(_) if !self.case.op.ends_with("_cast") => self.dtype_param(),
            _ => self.device_ints(),
        }
    }

    fn param(&self, name: &str) -> &'a Value {
        self.case.params.get(name).unwrap_or_else(|| panic!("no parameter `{name}`"))
    }

    pub(crate) fn dtype_param(&self) -> DType {
        self.text("dtype").parse().expect("a dtype")
    }

    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.param(name).as_str().expect("a text")
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.param(name).as_bool().expect("true or false")
    }

    /// A flag that may be left open, which is `false`.
    pub(crate) fn optional_flag(&self, name: &str) -> bool {
        self.param(name).as_bool().unwrap_or(false)
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        float(self.param(name)).expect("a number")
    }

    pub(crate) fn optional_number(&self, name: &str) -> Option<f64> {
        float(self.param(name))
    }

    pub(crate) fn integer(&self, name: &str) -> i64 {
        self.param(name).as_i64().expect("an integer")
    }

    pub(crate) fn optional_integer(&self, name: &str) -> Option<i64> {
        self.param(name).as_i64()
    }

    pub(crate) fn index(&self, name: &str) -> usize {
        index(self.param(name))
    }

    pub(crate) fn indices(&self, name: &str) -> Vec<usize> {
        self.param(name).as_array().expect("a list").iter().map(index).collect()
    }

    /// One number a dimension.
    pub(crate) fn array<const N: usize>(&self, name: &str) -> [usize; N] {
        self.indices(name).try_into().expect("one number a dimension")
    }

    /// The dimensions of `x` to reduce: `null` is all of them.
    pub(crate) fn dims(&self) -> Vec<usize> {
        match self.param("dims") {
            Value::Null => (0..self.input("x").shape.len()).collect(),
            _ => self.indices("dims"),
        }
    }

    /// The dimension to reduce; `null` is the flattened tensor.
    pub(crate) fn optional_dim(&self) -> Option<usize> {
        match self.param("dim") {
            Value::Null => None,
            dim => Some(index(dim)),
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.indices("shape").into()
    }

    /// Pairs of numbers: what lies before and after in each dimension.
    pub(crate) fn pairs(&self, name: &str) -> Vec<(usize, usize)> {
        let pair = |pair: &Value| (index(&pair[0]), index(&pair[1]));
        self.param(name).as_array().expect("a list").iter().map(pair).collect()
    }

    /// What a tensor is padded with, if it is not a value of its own.
    pub(crate) fn pad_mode<T>(&self, value: impl Fn(&Self) -> T) -> PadMode<T> {
        match self.text("mode") {
            "constant" => PadMode::Constant(value(self)),
            "reflect" => PadMode::Reflect,
            "replicate" => PadMode::Replicate,
            other => panic!("`{other}` is no way to pad"),
        }
    }

    /// How tensors are quantized: what the parameters say, or those in the one of this name.
    pub(crate) fn scheme(&self, name: Option<&str>) -> QuantScheme {
        let part = |part: &str| match name {
            Some(name) => &self.param(name)[part],
            None => self.param(part),
        };
        let mode = match part("mode").as_str() {
            Some("symmetric") => QuantMode::Symmetric,
            Some("affine") => QuantMode::Affine,
            other => panic!("{other:?} is no mode"),
        };
        let bits = match part("bits").as_u64() {
            Some(8) => QuantBits::Q8,
            Some(4) => QuantBits::Q4,
            other => panic!("there are no codes of {other:?} bits"),
        };
        let level = match part("level").as_str() {
            Some("tensor") => QuantLevel::Tensor,
            Some("channel") => QuantLevel::Channel { axis: index(part("axis")) },
            Some("block") => QuantLevel::Block { size: index(part("block_size")) },
            other => panic!("{other:?} is no level"),
        };
        QuantScheme::new(mode, bits, level)
    }

    pub(crate) fn slices(&self) -> Vec<Slice> {
        let slice = |slice: &Value| {
            let bound = |bound: &Value| bound.as_i64().map(|bound| bound as isize);
            Slice::new(bound(&slice[0]), bound(&slice[1]), bound(&slice[2]).unwrap_or(1))
        };
        self.param("slices").as_array().expect("a list").iter().map(slice).collect()
    }
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("an index")).expect("a small index")
}

impl Mode {
    pub(crate) fn float(&self, tensor: &Tensor, dtype: DType) -> FloatTensor<Dispatch> {
        let (data, axes) = self.layout(tensor);
        let made =
            Dispatch::float_from_data(data.cast(dtype), &self.device).expect("the device has the type");
        if self.strided { Dispatch::float_permute(made, &axes) } else { made }
    }

    fn int(&self, tensor: &Tensor, dtype: DType) -> IntTensor<Dispatch> {
        let (data, axes) = self.layout(tensor);
        let made = Dispatch::int_from_data(data.cast(dtype), &self.device).expect("the device has the type");
        if self.strided { Dispatch::int_permute(made, &axes) } else { made }
    }

    fn bool(&self, tensor: &Tensor) -> BoolTensor<Dispatch> {
        let (data, axes) = self.layout(tensor);
        let made = Dispatch::bool_from_data(data, &self.device).expect("every device has bools");
        if self.strided { Dispatch::bool_permute(made, &axes) } else { made }
    }

    /// The data to make the tensor from: in column-major order, for the axes to undo, if it is to be strided.
    fn layout(&self, tensor: &Tensor) -> (TensorData, Vec<usize>) {
        let axes: Vec<usize> = (0..tensor.shape.len()).rev().collect();
        if !self.strided {
            return (tensor.data(), axes);
        }
        let shape: Vec<usize> = tensor.shape.iter().rev().copied().collect();
        let numbers = match &tensor.numbers {
            Numbers::Float(values) => Numbers::Float(column_major(values, &tensor.shape)),
            Numbers::Int(values) => Numbers::Int(column_major(values, &tensor.shape)),
            Numbers::Bool(values) => Numbers::Bool(column_major(values, &tensor.shape)),
        };
        (Tensor { shape, numbers }.data(), axes)
    }
}

fn column_major<T: Copy>(values: &[T], shape: &[usize]) -> Vec<T> {
    let at = |mut position: usize| {
        let mut strides = shape.iter().skip(1).rev().scan(1, |stride, extent| {
            *stride *= extent;
            Some(*stride)
        });
        let mut stride_of: Vec<usize> = std::iter::once(1).chain(strides.by_ref()).collect();
        stride_of.reverse();
        let mut offset = 0;
        for (extent, stride) in shape.iter().zip(stride_of) {
            offset += position % extent * stride;
            position /= extent;
        }
        values[offset]
    };
    (0..values.len()).map(at).collect()
}

/// A result.
#[derive(Clone)]
pub(crate) enum Output {
    Float(FloatTensor<Dispatch>),
    Int(IntTensor<Dispatch>),
    Bool(BoolTensor<Dispatch>),
}

impl Output {
    pub(crate) fn data(&self) -> TensorData {
        match self.clone() {
            Self::Float(tensor) => Dispatch::float_into_data_blocking(tensor),
            Self::Int(tensor) => Dispatch::int_into_data_blocking(tensor),
            Self::Bool(tensor) => Dispatch::bool_into_data_blocking(tensor),
        }
        .expect("the device works")
    }

    /// The shape that the handle claims to have.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::Float(tensor) => tensor.shape(),
            Self::Int(tensor) => tensor.shape(),
            Self::Bool(tensor) => tensor.shape(),
        }
    }
}

/// What an op returns, as a list.
pub(crate) trait IntoOutputs {
    fn into_outputs(self) -> Vec<Output>;
}

impl IntoOutputs for opswitch::DispatchTensor<Float> {
    fn into_outputs(self) -> Vec<Output> {
        vec![Output::Float(self)]
    }
}

impl IntoOutputs for opswitch::DispatchTensor<Int> {
    fn into_outputs(self) -> Vec<Output> {
        vec![Output::Int(self)]
    }
}

impl IntoOutputs for opswitch::DispatchTensor<Bool> {
    fn into_outputs(self) -> Vec<Output> {
        vec![Output::Bool(self)]
    }
}

impl IntoOutputs for Vec<Output> {
    fn into_outputs(self) -> Vec<Output> {
        self
    }
}

impl<A: IntoOutputs, B: IntoOutputs> IntoOutputs for (A, B) {
    fn into_outputs(self) -> Vec<Output> {
        let mut outputs = self.0.into_outputs();
        outputs.extend(self.1.into_outputs());
        outputs
    }
}
