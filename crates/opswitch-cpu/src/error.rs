//! What an op says when values or element types do not fit. Shapes have `ShapeError`.

use std::fmt;

use opswitch_core::{DType, raise};

use crate::tensor::CpuTensor;

/// An op that cannot work with its inputs.
#[derive(Debug)]
pub(crate) enum OpError {
    /// The element types differ.
    MixedDTypes { op: &'static str, lhs: DType, rhs: DType },
    /// The element type is of another kind.
    Kind { op: &'static str, expected: &'static str, found: DType },
    /// An index that the dimension does not have.
    Index { op: &'static str, index: i64, extent: usize },
    /// An integer divided by 0.
    DivisionByZero { op: &'static str },
    /// A parameter outside its range.
    Parameter { op: &'static str, reason: &'static str },
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MixedDTypes { op, lhs, rhs } => {
                write!(f, "{op}: element types {lhs} and {rhs} differ; cast one of the tensors")
            }
            Self::Kind { op, expected, found } => {
                write!(f, "{op}: the element type must be {expected}, but it is {found}")
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
#[track_caller]
pub(crate) fn check_same_type(op: &'static str, lhs: &CpuTensor, rhs: &CpuTensor) {
    let (lhs, rhs) = (lhs.element_type(), rhs.element_type());
    if lhs != rhs {
        raise(&OpError::MixedDTypes { op, lhs, rhs });
    }
}

/// Checks the element type of a tensor that only one kind of op takes.
#[track_caller]
pub(crate) fn check_type(op: &'static str, expected: &'static str, found: DType, accepts: fn(DType) -> bool) {
    if !accepts(found) {
        raise(&OpError::Kind { op, expected, found });
    }
}
