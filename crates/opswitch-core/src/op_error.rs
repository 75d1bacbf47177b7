//! What an op says when values or element types do not fit. Shapes have `ShapeError`.

use std::fmt;

use crate::{backend::TensorHandle, dtype::DType, error::raise};

/// An op that cannot work with its inputs.
///
/// A backend raises it with [`raise`]; its text is the same on all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are what the text names")]
pub enum OpError {
    /// The element types differ.
    MixedDTypes { op: &'static str, lhs: DType, rhs: DType },
    /// The element type is of another kind.
    Kind { op: &'static str, expected: &'static str, found: DType },
    /// The device has no elements of this type.
    Unsupported { op: &'static str, device: String, dtype: DType, elsewhere: &'static str },
    /// An index that the dimension does not have.
    Index { op: &'static str, index: i64, extent: usize },
    /// An integer divided by 0.
    DivisionByZero { op: &'static str },
    /// A parameter outside its range.
    Parameter { op: &'static str, reason: &'static str },
}

impl std::error::Error for OpError {}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MixedDTypes { op, lhs, rhs } => {
                write!(f, "{op}: element types {lhs} and {rhs} differ; cast one of the tensors")
            }
            Self::Kind { op, expected, found } => {
                write!(f, "{op}: the element type must be {expected}, but it is {found}")
            }
            Self::Unsupported { op, device, dtype, elsewhere } => {
                write!(
                    f,
                    "{op}: `{device}` has no elements of type {dtype}; cast the tensor, or use `{elsewhere}`, which has them"
                )
            }
            Self::Index { op, index, extent } => {
                write!(f, "{op}: index {index} is out of range for a dimension of extent {extent}")
            }
            Self::DivisionByZero { op } => write!(f, "{op}: an integer is divided by zero"),
            Self::Parameter { op, reason } => write!(f, "{op}: {reason}"),
        }
    }
}

/// Checks that both tensors have the same element type.
///
/// # Panics
///
/// If they do not.
#[track_caller]
pub fn check_same_type(op: &'static str, lhs: &impl TensorHandle, rhs: &impl TensorHandle) {
    let (lhs, rhs) = (lhs.dtype(), rhs.dtype());
    if lhs != rhs {
        raise(&OpError::MixedDTypes { op, lhs, rhs });
    }
}

/// Checks the element type of a tensor that only one kind of op takes.
///
/// # Panics
///
/// If `accepts` refuses it.
#[track_caller]
pub fn check_type(op: &'static str, expected: &'static str, found: DType, accepts: fn(DType) -> bool) {
    if !accepts(found) {
        raise(&OpError::Kind { op, expected, found });
    }
}
