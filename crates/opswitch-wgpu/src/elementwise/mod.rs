//! Functions of each element of one, two or three tensors, and tensors made of nothing.
//!
//! Where all elements lie without gaps in the same order, four are taken at a time, and the result has that order too.
//! Elsewhere the kernel walks the strides, and the result is in row-major order.

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

use opswitch_core::{DType, layout::Layout};

/// Elements that a kernel takes at a time where it can.
const VECTOR: usize = 4;

/// Invocations in a group.
const GROUP_SIZE: usize = 256;

/// How a kernel goes through its tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Dense,
    Strided,
}

/// The number of a kernel's variant.
fn variant(form: Form, from: DType, to: DType) -> u64 {
    form as u64 | (dtype_code(from) << 1) | (dtype_code(to) << 5)
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

/// Where a dense tensor starts, in vectors, if it starts at a whole one.
fn vector_offset(layout: &Layout) -> Option<u32> {
    let offset = layout.offset();
    (layout.is_dense() && offset.is_multiple_of(VECTOR)).then_some((offset / VECTOR) as u32)
}
