//! Functions of each element of one, two or three tensors, and tensors made of nothing.
//!
//! Where all elements lie without gaps in the same order, the result has that order too; elsewhere it is in row-major
//! order. Four elements are taken at a time where they are neighbours in every tensor.

mod binary;
mod cast;
mod create;
mod mask_where;
mod table;
mod unary;

pub(crate) use self::{
    binary::{binary, check_mask, mask_fill},
    cast::cast,
    create::{arange, fill, float_bits, full},
    mask_where::mask_where,
    table::*,
    unary::unary,
};

use opswitch_core::DType;

use crate::strided::Loops;

/// Invocations in a group.
const GROUP_SIZE: usize = 256;

/// How many elements a kernel takes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Scalar,
    /// Four, or one for all four where a tensor stands still.
    Vector {
        is_still: [bool; 2],
    },
}

impl Form {
    /// The best form for these loops, and the loops in it.
    fn of(loops: Loops) -> (Self, Loops) {
        match loops.vectors() {
            Some(vectors) => {
                let [lhs, rhs, _] = vectors.is_still;
                (Self::Vector { is_still: [lhs, rhs] }, vectors.loops)
            }
            None => (Self::Scalar, loops),
        }
    }

    fn code(self) -> u64 {
        match self {
            Self::Scalar => 0,
            Self::Vector { is_still: [lhs, rhs] } => 1 | (u64::from(lhs) << 1) | (u64::from(rhs) << 2),
        }
    }
}

/// The number of a kernel's variant.
fn variant(form: Form, from: DType, to: DType) -> u64 {
    form.code() | (dtype_code(from) << 3) | (dtype_code(to) << 6)
}

fn dtype_code(dtype: DType) -> u64 {
    match dtype {
        DType::F32 => 0,
        DType::F16 => 1,
        DType::I32 => 2,
        DType::U32 => 3,
        _ => 4,
    }
}

/// The type in which elements lie in a buffer.
pub(crate) fn stored_type(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "f32",
        DType::F16 => "f16",
        DType::I32 => "i32",
        _ => "u32",
    }
}

/// The type in which elements are computed: each op rounds once.
pub(crate) fn computed_type(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 | DType::F16 => "f32",
        DType::I32 => "i32",
        _ => "u32",
    }
}

/// The type of a function's result, which is then converted to that in the buffer.
fn result_type(dtype: DType) -> &'static str {
    if dtype == DType::Bool { "bool" } else { computed_type(dtype) }
}
