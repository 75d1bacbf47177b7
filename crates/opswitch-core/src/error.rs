//! What can go wrong, in words that say where it did and what to do.

use std::{borrow::Cow, fmt};

use thiserror::Error;

use crate::{dtype::DType, shape::Shape};

/// A shape, or two, that an op cannot work with. Its text names the op and every shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    op: &'static str,
    shapes: Box<[Shape]>,
    reason: Cow<'static, str>,
}

impl ShapeError {
    /// A shape that does not fit the op.
    #[cold]
    pub fn single(op: &'static str, shape: &Shape, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { op, shapes: Box::new([shape.clone()]), reason: reason.into() }
    }

    /// Two shapes that do not fit each other.
    #[cold]
    pub fn pair(op: &'static str, lhs: &Shape, rhs: &Shape, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { op, shapes: Box::new([lhs.clone(), rhs.clone()]), reason: reason.into() }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, shapes, reason } = self;
        match &**shapes {
            [shape] => write!(f, "{op}: shape {shape} does not fit: {reason}"),
            [lhs, rhs] => write!(f, "{op}: shapes {lhs} and {rhs} do not fit: {reason}"),
            _ => unreachable!("a shape error holds one or two shapes"),
        }
    }
}

impl std::error::Error for ShapeError {}

/// Host data that does not hold what was asked of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The number of elements is not that of the shape.
    #[error("shape {shape} needs {expected} elements, but {found} are given")]
    Length {
        /// The shape.
        shape: Shape,
        /// Its number of elements.
        expected: usize,
        /// The number that was given.
        found: usize,
    },
    /// The elements are of another type.
    #[error("elements of type {expected} are asked for, but these are {found}; convert them with `cast`")]
    DType {
        /// The type that was asked for.
        expected: DType,
        /// The type of the elements.
        found: DType,
    },
    /// A value that another type cannot hold.
    #[error("element {position} is {value}, which {dtype} cannot hold")]
    Value {
        /// Where the element is, in row-major order.
        position: usize,
        /// The element.
        value: String,
        /// The type.
        dtype: DType,
    },
    /// No element type has this name.
    #[error(
        "`{text}` is not an element type; write f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8 or bool"
    )]
    UnknownDType {
        /// The text.
        text: String,
    },
    /// The backend cannot hold elements of this type in a tensor of this kind.
    #[error("{backend} has no {kind} tensors of type {dtype}")]
    Unsupported {
        /// The backend.
        backend: &'static str,
        /// The kind of tensor.
        kind: &'static str,
        /// The element type.
        dtype: DType,
    },
    /// This device has no elements of the type, while others have.
    #[error(
        "`{device}` has no elements of type {dtype}; cast the data, or use `{elsewhere}`, which has them"
    )]
    UnsupportedOnDevice {
        /// The device.
        device: String,
        /// The element type.
        dtype: DType,
        /// A device that has it.
        elsewhere: &'static str,
    },
    /// The device failed, now or in an op that the data depends on.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// A device that does not exist, or has failed.
///
/// A device that works on its own fails after the call that made it: what was to be computed then carries the error, and
/// reading it, or anything made of it, gives the error with the name of the op that failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("device `{device}`: {}{reason}", Prefix(*op))]
pub struct DeviceError {
    device: String,
    op: Option<&'static str>,
    reason: String,
}

struct Prefix(Option<&'static str>);

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |op| write!(f, "`{op}` failed: "))
    }
}

impl DeviceError {
    /// The device as it is written, and what is wrong with it.
    #[cold]
    pub fn new(device: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self { device: device.to_string(), op: None, reason: reason.to_string() }
    }

    /// This error with the op that failed.
    #[cold]
    #[must_use]
    pub fn at_op(self, op: &'static str) -> Self {
        Self { op: Some(op), ..self }
    }

    /// The device, as it is written.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The op that failed, if it was one.
    pub fn op(&self) -> Option<&'static str> {
        self.op
    }

    /// What is wrong, and what to do.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Which rule of dispatch was broken. Its text is the first line of a [`DispatchError`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the text says it")]
pub enum DispatchErrorKind {
    #[error("Autodiff should not wrap an autodiff device.")]
    DeviceWrappedTwice,
    #[error("Autodiff should not wrap an autodiff tensor.")]
    TensorWrappedTwice,
    #[error("Tensor is on the wrong backend (expected {expected}).")]
    WrongBackend { expected: &'static str },
    #[error("Autodiff float tensor is on the wrong backend (expected {expected}).")]
    WrongAutodiffBackend { expected: &'static str },
    #[error("Expected autodiff-wrapped float tensor for backend {backend}.")]
    NotAutodiff { backend: &'static str },
    #[error("Tensor is on the wrong device (expected {expected}).")]
    WrongDevice { expected: String },
    #[error("No tensor input to select a backend from.")]
    NoTensor,
    #[error("Distributed operations are not supported for device {device}.")]
    DistributedUnsupported { device: String },
    #[error("All devices are expected to be of the same variant.")]
    MixedDevices,
    #[error("unsupported dispatch backend")]
    UnsupportedBackend,
    #[error("autodiff context requires the `autodiff` feature")]
    AutodiffDisabled,
}

/// An op that could not be routed to a backend.
///
/// The first line of the text is that of [`DispatchErrorKind`]; the lines after it name what is known of the op,
/// the argument, what was expected and what was found, and say what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchError(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    kind: DispatchErrorKind,
    op: Option<&'static str>,
    argument: Option<String>,
    expected: Option<String>,
    found: Option<String>,
    help: Cow<'static, str>,
}

impl DispatchError {
    /// An error of this kind, with a sentence that says what to do.
    #[cold]
    pub fn new(kind: DispatchErrorKind, help: impl Into<Cow<'static, str>>) -> Self {
        let help = help.into();
        Self(Box::new(Report { kind, op: None, argument: None, expected: None, found: None, help }))
    }

    /// The collective op `op` has no implementation on `device`.
    #[cold]
    pub fn distributed_unsupported(op: &'static str, device: &impl fmt::Display) -> Self {
        let kind = DispatchErrorKind::DistributedUnsupported { device: device.to_string() };
        Self::new(kind, "run it on a backend with collective ops; with a single device, leave the call out")
            .at_op(op)
            .with_found("a backend that implements this op", device)
    }

    /// Which rule was broken.
    pub fn kind(&self) -> &DispatchErrorKind {
        &self.0.kind
    }

    /// The op, if one was called.
    pub fn op(&self) -> Option<&'static str> {
        self.0.op
    }

    /// The argument at fault, with its position inside if it holds several tensors.
    pub fn argument(&self) -> Option<&str> {
        self.0.argument.as_deref()
    }

    /// This error with the op's name.
    #[cold]
    #[must_use]
    pub fn at_op(mut self, op: &'static str) -> Self {
        self.0.op = Some(op);
        self
    }

    /// This error with the argument's name put before the position that it has already.
    #[cold]
    #[must_use]
    pub fn at_argument(mut self, argument: impl fmt::Display) -> Self {
        let position = self.0.argument.take().unwrap_or_default();
        self.0.argument = Some(format!("{argument}{position}"));
        self
    }

    /// This error with what was expected and what was found.
    #[cold]
    #[must_use]
    pub fn with_found(mut self, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        self.0.expected = Some(expected.to_string());
        self.0.found = Some(found.to_string());
        self
    }

    /// Panics with this error's text at the caller's line.
    #[cold]
    #[track_caller]
    pub fn raise(self) -> ! {
        raise(&self)
    }
}

impl fmt::Display for DispatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kind, op, argument, expected, found, help } = &*self.0;
        write!(f, "{kind}")?;
        let mut line = |label: &str, text: Option<&str>| match text {
            Some(text) => write!(f, "\n  {label:<9} {text}"),
            None => Ok(()),
        };
        line("op:", *op)?;
        line("argument:", argument.as_deref())?;
        line("expected:", expected.as_deref())?;
        line("found:", found.as_deref())?;
        line("help:", Some(help))
    }
}

impl std::error::Error for DispatchError {}

/// A backward pass that could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BackwardError {
    /// The tensor could not be routed, or is not tracked.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The graph has no path to any tensor that asks for a gradient.
    #[error(
        "this tensor depends on no tensor that requires a gradient; call `require_grad` on an input first"
    )]
    Untracked,
    /// A gradient is asked for in a tensor that nothing was tracked for.
    #[error(
        "a gradient is asked for in a tensor that is not tracked; call `require_grad` on it before it is used"
    )]
    UntrackedInput,
    /// An op on the way is not differentiable in an input that requires a gradient.
    #[error(
        "op `{op}` is not differentiable in `{argument}`, which requires a gradient; `detach` that input if its gradient is not wanted"
    )]
    NotDifferentiable {
        /// The op.
        op: &'static str,
        /// The argument.
        argument: &'static str,
    },
    /// The graph was used by an earlier backward pass, which frees it.
    #[error(
        "the graph behind op `{op}` was freed by an earlier backward pass; ask that pass for `retain_graph` to walk it again"
    )]
    Freed {
        /// The op whose saved values are gone.
        op: &'static str,
    },
    /// The formulas read one gradient of an op that has several.
    #[error(
        "the formulas of op `{op}` read `grad`, but it has several float results; read `grads.0`, `grads.1` and so on, one for each"
    )]
    SeveralResults {
        /// The op.
        op: &'static str,
    },
    /// A formula gave a list with another number of gradients than the input has tensors.
    #[error("the formula for `{argument}` of op `{op}` gave {found} gradients for {expected} tensors")]
    GradientCount {
        /// The op.
        op: &'static str,
        /// The argument.
        argument: &'static str,
        /// The number of tensors in the argument.
        expected: usize,
        /// The number of gradients from the formula.
        found: usize,
    },
    /// A formula gave a gradient of another shape than the input has.
    #[error(
        "the formula for `{argument}` of op `{op}` gave a gradient of shape {found} for a tensor of shape {expected}"
    )]
    GradientShape {
        /// The op.
        op: &'static str,
        /// The argument.
        argument: &'static str,
        /// The shape of the tensor.
        expected: Shape,
        /// The shape of the gradient.
        found: Shape,
    },
    /// A formula gave a gradient of another element type than the input has.
    #[error(
        "the formula for `{argument}` of op `{op}` gave a gradient of type {found} for a tensor of type {expected}"
    )]
    GradientDType {
        /// The op.
        op: &'static str,
        /// The argument.
        argument: &'static str,
        /// The element type of the tensor.
        expected: DType,
        /// The element type of the gradient.
        found: DType,
    },
    /// The seed has another shape than the tensor that backward starts from.
    #[error("the seed gradient has shape {seed}, but the tensor has shape {shape}")]
    SeedShape {
        /// The shape of the tensor.
        shape: Shape,
        /// The shape of the seed.
        seed: Shape,
    },
    /// The seed has another element type than the tensor that backward starts from.
    #[error(
        "the seed gradient is of type {seed}, but the tensor is of type {dtype}; convert it with `float_cast`"
    )]
    SeedDType {
        /// The element type of the tensor.
        dtype: DType,
        /// The element type of the seed.
        seed: DType,
    },
    /// A gradient could not be moved to the device of its input.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The tensor that backward starts from has several elements, and no seed was given.
    #[error(
        "backward needs a tensor with one element, but this one has shape {shape}; sum it, or give a seed gradient"
    )]
    NotScalar {
        /// The shape of the tensor.
        shape: Shape,
    },
}

/// Panics with an error's text, at the caller's line.
///
/// # Panics
///
/// Always.
#[cold]
#[track_caller]
#[inline(never)]
pub fn raise(error: &dyn fmt::Display) -> ! {
    panic!("{error}")
}

/// Unwraps results whose error is meant for the person who called the op.
pub trait OrRaise<T> {
    /// The value, or a panic with the error's text at the caller's line.
    fn or_raise(self) -> T;
}

impl<T, E: fmt::Display> OrRaise<T> for Result<T, E> {
    #[inline]
    #[track_caller]
    fn or_raise(self) -> T {
        match self {
            Ok(value) => value,
            Err(error) => raise(&error),
        }
    }
}
