//! Element types, and how they lie in the memory of a device.

use cubecl::ir::{ElemType, FloatKind, IntKind, UIntKind};
use opswitch_core::{DType, DataError, OpError, raise};

use crate::device::CubeDevice;

/// A device that has all element types.
const ELSEWHERE: &str = "cpu";

/// The type in kernels; `bool` is a `u32`, 0 or 1, which every device can store.
///
/// # Panics
///
/// If no device has elements of this type.
pub(crate) fn elem_type(dtype: DType) -> ElemType {
    match dtype {
        DType::F32 => ElemType::Float(FloatKind::F32),
        DType::F16 => ElemType::Float(FloatKind::F16),
        DType::I32 => ElemType::Int(IntKind::I32),
        DType::U32 | DType::Bool => ElemType::UInt(UIntKind::U32),
        _ => unreachable!("tensors of {dtype} are refused before they are made"),
    }
}

/// The size of one element on the device, in bytes.
pub(crate) fn size(dtype: DType) -> usize {
    if dtype == DType::Bool { 4 } else { dtype.size() }
}

pub(crate) fn has(device: CubeDevice, dtype: DType) -> bool {
    match dtype {
        DType::F32 | DType::I32 | DType::U32 | DType::Bool => true,
        DType::F16 => match device.client() {
            Ok(client) => client.features().supports_type(elem_type(dtype)),
            // The tensor will carry that failure, which says more.
            Err(_) => true,
        },
        _ => false,
    }
}

/// Checks that the device has elements of this type.
#[track_caller]
pub(crate) fn check(op: &'static str, dtype: DType, device: CubeDevice) {
    if !has(device, dtype) {
        raise(&OpError::Unsupported { op, device: device.to_string(), dtype, elsewhere: ELSEWHERE });
    }
}

/// Checks that data of this type can become a tensor on the device.
pub(crate) fn check_data(dtype: DType, device: CubeDevice) -> Result<(), DataError> {
    if has(device, dtype) {
        return Ok(());
    }
    Err(DataError::UnsupportedOnDevice { device: device.to_string(), dtype, elsewhere: ELSEWHERE })
}
