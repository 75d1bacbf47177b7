//! What CubeCL says when work fails, in the words of a [`DeviceError`].
//!
//! CubeCL keeps a failure with the memory that was to be written, and skips every kernel that would read it. Nothing has to
//! be asked or awaited while ops are queued: the read finds what went wrong.

use cubecl::server::{IoError, LaunchError, ServerError};
use opswitch_core::DeviceError;

use crate::device::CubeDevice;

/// The failure of a device, outside any op.
#[cold]
pub(crate) fn device_error(device: CubeDevice, error: &ServerError) -> DeviceError {
    DeviceError::new(device, reason(error))
}

/// The failure found in the result of `op`: its own, or that of an op before it.
#[cold]
pub(crate) fn op_error(device: CubeDevice, op: &'static str, error: &ServerError) -> DeviceError {
    if is_inherited(error) {
        let reason = format!("an op that it depends on failed: {}", reason(error));
        return DeviceError::new(device, reason).at_op(op);
    }
    device_error(device, error).at_op(op)
}

/// Whether the work was skipped because something before it failed.
fn is_inherited(error: &ServerError) -> bool {
    match error {
        ServerError::Unwritten { chain, .. } => !chain.is_empty(),
        ServerError::Several { errors, .. } => errors.first().is_some_and(is_inherited),
        _ => false,
    }
}

fn reason(error: &ServerError) -> String {
    match error {
        ServerError::Unwritten { root, .. } => reason(root),
        ServerError::Several { errors, .. } if !errors.is_empty() => reason(&errors[0]),
        ServerError::DevicePoisoned(poison) | ServerError::Launch(LaunchError::DevicePoisoned(poison)) => {
            format!("the device is lost: {}", poison.reason)
        }
        ServerError::Io(IoError::OutOfMemory { size, .. }) => out_of_memory(*size),
        ServerError::Io(IoError::BufferTooBig { size, .. }) => {
            format!(
                "a buffer of {size} bytes is larger than any that the device can hold; use smaller tensors"
            )
        }
        other => without_backtrace(&other.to_string()),
    }
}

fn out_of_memory(size: u64) -> String {
    format!("there is no memory left for a buffer of {size} bytes; drop tensors, or use smaller ones")
}

/// The text of an error without the backtraces in it.
fn without_backtrace(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.starts_with("Backtrace"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}
