//! What a sample gives to an op.

use opswitch_core::{
    AnyTensor, Backend, BoolTensor, DType, Device, FloatTensor, IntTensor, Shape, Slice, TensorData,
};

use crate::values::{self, Kind};

/// A value of a sample, and what it becomes on a backend: a float tensor, an integer tensor, and so on.
///
/// Implemented for [`float`], [`int`] and [`boolean`] tensors, for `Option` and `Vec` of them, for the parameters that ops take
/// beside tensors, and for what depends on the place of a run: [`device`], [`float_dtype`] and [`int_dtype`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a sample",
    note = "write `float(shape)`, `int(shape)` or `boolean(shape)` for a tensor, an `Option` or `Vec` of those, or a number, \
            a `bool`, a `Shape`, a `DType` or `list(&[..])` for a parameter"
)]
pub trait Input<D: Backend>: 'static {
    /// What the op takes.
    type Value;

    /// What the kit has to know to make it.
    #[doc(hidden)]
    fn spec(&self) -> Spec;

    /// The value, given the tensors that the kit has made.
    #[doc(hidden)]
    fn value(&self, made: Made<D>, place: &Place<D>) -> Self::Value;
}

/// An input, as the kit sees it.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Spec {
    Tensor(TensorInput),
    Option(Option<Box<Self>>),
    List(Vec<Self>),
    Parameter,
}

/// What the kit has made for a [`Spec`].
#[doc(hidden)]
pub enum Made<D: Backend> {
    Tensor(AnyTensor<D>),
    Option(Option<Box<Self>>),
    List(Vec<Self>),
    Parameter,
}

/// Where and in what an op runs.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Place<D: Backend> {
    pub device: Device<D>,
    pub dtype: DType,
}

/// What a backward pass through a float input has to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gradient {
    /// A gradient, unless the op says otherwise.
    Checked,
    /// Nothing that is looked at.
    Skipped,
    /// An error.
    Refused,
}

/// A tensor of a sample.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct TensorInput {
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    pub(crate) source: Source,
    pub(crate) dtype: Option<DType>,
    pub(crate) gradient: Gradient,
}

/// Where elements come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The same on every run, without a visible pattern, in `low..high`.
    Range(f64, f64),
    Given(TensorData),
}

impl TensorInput {
    fn new(kind: Kind, shape: impl Into<Shape>, source: Source) -> Self {
        Self { kind, shape: shape.into(), source, dtype: None, gradient: Gradient::Checked }
    }

    #[track_caller]
    fn given(kind: Kind, data: TensorData) -> Self {
        Self::new(kind, data.shape().clone(), Source::Given(data))
    }
}

/// A float tensor of a sample; see [`float`].
#[derive(Clone, Debug)]
pub struct FloatInput(TensorInput);

/// An integer tensor of a sample; see [`int`].
#[derive(Clone, Debug)]
pub struct IntInput(TensorInput);

/// A boolean tensor of a sample; see [`boolean`].
#[derive(Clone, Debug)]
pub struct BoolInput(TensorInput);

/// A float tensor of this shape. Its elements are in `-1.0..1.0`, the same on every run, and others in every sample.
///
/// ```
/// use opswitch_testing::float;
///
/// let positive = float([2, 3]).range(0.1, 4.0);
/// ```
pub fn float(shape: impl Into<Shape>) -> FloatInput {
    FloatInput(TensorInput::new(Kind::Float, shape, Source::Range(-1.0, 1.0)))
}

/// A float tensor with these elements, in row-major order.
///
/// # Panics
///
/// If their number is not that of the shape.
#[track_caller]
pub fn floats(elements: impl Into<Vec<f64>>, shape: impl Into<Shape>) -> FloatInput {
    FloatInput(TensorInput::given(Kind::Float, values::data(elements.into(), shape.into())))
}

/// An integer tensor of this shape. Its elements are in `-10..10`, the same on every run, and others in every sample.
///
/// Its element type is [`Backend::int_dtype`] of the device.
pub fn int(shape: impl Into<Shape>) -> IntInput {
    IntInput(TensorInput::new(Kind::Int, shape, Source::Range(-10.0, 10.0)))
}

/// An integer tensor with these elements, in row-major order.
///
/// # Panics
///
/// If their number is not that of the shape.
#[track_caller]
pub fn ints(elements: impl Into<Vec<i64>>, shape: impl Into<Shape>) -> IntInput {
    IntInput(TensorInput::given(Kind::Int, values::data(elements.into(), shape.into())))
}

/// A boolean tensor of this shape, the same on every run, and another in every sample.
pub fn boolean(shape: impl Into<Shape>) -> BoolInput {
    BoolInput(TensorInput::new(Kind::Bool, shape, Source::Range(0.0, 2.0)))
}

/// A boolean tensor with these elements, in row-major order.
///
/// # Panics
///
/// If their number is not that of the shape.
#[track_caller]
pub fn booleans(elements: impl Into<Vec<bool>>, shape: impl Into<Shape>) -> BoolInput {
    BoolInput(TensorInput::given(Kind::Bool, values::data(elements.into(), shape.into())))
}

impl FloatInput {
    /// The tensor with elements in `low..high`.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.0.source = Source::Range(low, high);
        self
    }

    /// The tensor, through which no gradient is asked for.
    #[must_use]
    pub fn without_gradient(mut self) -> Self {
        self.0.gradient = Gradient::Skipped;
        self
    }

    /// The tensor, through which a backward pass is refused by name. What `#[backward]` says of an op is known without this:
    /// it is for an op that is called through a closure of another name.
    #[must_use]
    pub fn not_differentiable(mut self) -> Self {
        self.0.gradient = Gradient::Refused;
        self
    }
}

impl IntInput {
    /// The tensor with elements in `low..high`, such as indices.
    #[must_use]
    pub fn range(mut self, low: i64, high: i64) -> Self {
        self.0.source = Source::Range(low as f64, high as f64);
        self
    }

    /// The tensor with elements of this type on every device. A device without it is left out.
    #[must_use]
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.0.dtype = Some(dtype);
        self
    }
}

macro_rules! tensor_input {
    ($($input:ident, $variant:ident, $tensor:ident;)*) => {$(
        impl<D: Backend> Input<D> for $input {
            type Value = $tensor<D>;

            fn spec(&self) -> Spec {
                Spec::Tensor(self.0.clone())
            }

            fn value(&self, made: Made<D>, _: &Place<D>) -> Self::Value {
                match made {
                    Made::Tensor(AnyTensor::$variant(tensor)) => tensor,
                    _ => unreachable!("a tensor is made of the kind of its input"),
                }
            }
        }
    )*};
}

tensor_input! {
    FloatInput, Float, FloatTensor;
    IntInput, Int, IntTensor;
    BoolInput, Bool, BoolTensor;
}

impl<D: Backend, T: Input<D>> Input<D> for Option<T> {
    type Value = Option<T::Value>;

    fn spec(&self) -> Spec {
        Spec::Option(self.as_ref().map(|input| Box::new(input.spec())))
    }

    fn value(&self, made: Made<D>, place: &Place<D>) -> Self::Value {
        match (self, made) {
            (Some(input), Made::Option(Some(made))) => Some(input.value(*made, place)),
            _ => None,
        }
    }
}

impl<D: Backend, T: Input<D>> Input<D> for Vec<T> {
    type Value = Vec<T::Value>;

    fn spec(&self) -> Spec {
        Spec::List(self.iter().map(Input::spec).collect())
    }

    fn value(&self, made: Made<D>, place: &Place<D>) -> Self::Value {
        let Made::List(made) = made else { unreachable!("a list is made for a list") };
        // A list that is longer than the sample's repeats it.
        self.iter().cycle().zip(made).map(|(input, made)| input.value(made, place)).collect()
    }
}

macro_rules! parameter {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<D: Backend, $($generics)*> Input<D> for $ty {
            type Value = Self;

            fn spec(&self) -> Spec {
                Spec::Parameter
            }

            fn value(&self, _: Made<D>, _: &Place<D>) -> Self {
                self.clone()
            }
        }
    )*};
}

parameter! {
    [] bool;
    [] f64;
    [] f32;
    [] i64;
    [] i32;
    [] u64;
    [] u32;
    [] usize;
    [] &'static str;
    [] String;
    [] DType;
    [] Shape;
    [] Slice;
    [T: 'static] &'static [T];
}

/// A parameter of an op that takes a slice: `list(&[0, 1])` for its argument `dims: &[usize]`.
pub const fn list<T, const N: usize>(values: &'static [T; N]) -> &'static [T] {
    values
}

/// Any other parameter of an op, which is cloned for each run.
///
/// ```
/// use opswitch_testing::parameter;
///
/// #[derive(Clone)]
/// struct Camera {
///     width: u32,
/// }
///
/// let camera = parameter(Camera { width: 640 });
/// ```
pub fn parameter<T: Clone + 'static>(value: T) -> Parameter<T> {
    Parameter(value)
}

/// See [`parameter`].
#[derive(Clone, Debug)]
pub struct Parameter<T>(T);

/// See [`device`].
#[derive(Clone, Copy, Debug)]
pub struct DeviceInput;

/// See [`float_dtype`] and [`int_dtype`].
#[derive(Clone, Copy, Debug)]
pub struct DTypeInput(Kind);

/// The device that the op runs on, for an op that makes tensors.
pub fn device() -> DeviceInput {
    DeviceInput
}

/// The float type that is being checked, for an op with an argument `dtype`.
pub fn float_dtype() -> DTypeInput {
    DTypeInput(Kind::Float)
}

/// [`Backend::int_dtype`] of the device, for an op with an argument `dtype`.
pub fn int_dtype() -> DTypeInput {
    DTypeInput(Kind::Int)
}

macro_rules! placed {
    ($([$($generics:tt)*] $input:ty, $value:ty, |$self:ident, $place:ident| $body:expr;)*) => {$(
        impl<D: Backend, $($generics)*> Input<D> for $input {
            type Value = $value;

            fn spec(&self) -> Spec {
                Spec::Parameter
            }

            fn value(&$self, _: Made<D>, $place: &Place<D>) -> $value {
                $body
            }
        }
    )*};
}

placed! {
    [T: Clone + 'static] Parameter<T>, T, |self, _place| self.0.clone();
    [] DeviceInput, Device<D>, |self, place| place.device.clone();
    [] DTypeInput, DType, |self, place| match self.0 {
        Kind::Float => place.dtype,
        _ => D::int_dtype(&place.device),
    };
}
