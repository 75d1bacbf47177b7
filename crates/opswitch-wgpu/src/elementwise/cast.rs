//! Conversions between element types, as `Elements::cast` converts.

use opswitch_core::DType;

use super::{FLOAT_TO_BOOL, FLOAT_TO_I32, FLOAT_TO_U32, Function, INT_TO_BOOL, TO_FLOAT, TO_INT, unary};
use crate::tensor::WgpuTensor;

/// Every element converted.
#[track_caller]
pub(crate) fn cast(op: &'static str, x: WgpuTensor, to: DType) -> WgpuTensor {
    let from = x.element_type();
    if from == to {
        return x;
    }
    unary(op, conversion(from, to), &x, to, [0; 2])
}

fn conversion(from: DType, to: DType) -> &'static Function {
    match (from.is_float(), to) {
        (_, to) if to.is_float() => &TO_FLOAT,
        (true, DType::Bool) => &FLOAT_TO_BOOL,
        (true, DType::I32) => &FLOAT_TO_I32,
        (true, _) => &FLOAT_TO_U32,
        (false, DType::Bool) => &INT_TO_BOOL,
        (false, _) => &TO_INT,
    }
}
