//! Devices as text, and the errors around them.

use std::{fmt::Display, str::FromStr};

use crate::{
    backend::DeviceHandle,
    error::{DispatchError, DispatchErrorKind, OrRaise},
};

/// The variable that names the device to use where the program names none.
const DEVICE_VARIABLE: &str = "OPSWITCH_DEVICE";

/// The inside of `autodiff(..)`.
pub fn autodiff_text(text: &str) -> Option<&str> {
    text.trim().strip_prefix("autodiff(")?.strip_suffix(')')
}

/// The name of the backend in a device text: `wgpu` in `wgpu:1`.
pub fn backend_text(text: &str) -> &str {
    let text = text.trim();
    text.split_once(':').map_or(text, |(name, _)| name)
}

/// Reads a device of one backend.
///
/// # Errors
///
/// If the backend has no such device.
pub fn parse_device<D: FromStr<Err: Display>>(text: &str) -> Result<D, DispatchError> {
    text.trim().parse().map_err(|error: D::Err| {
        DispatchError::new(DispatchErrorKind::UnsupportedBackend, error.to_string()).with_found("a device of this machine", text)
    })
}

/// The error for a device text that names no listed backend.
#[cold]
pub fn unsupported_backend(text: &str, listed: &[&str]) -> DispatchError {
    let known = listed.join(", ");
    let help = format!("name one of {known}, with a number for one of several devices (`{}:1`), or `autodiff(..)` around it", listed.first().unwrap_or(&"cpu"));
    DispatchError::new(DispatchErrorKind::UnsupportedBackend, help).with_found(format_args!("one of {known}"), text)
}

/// The error for a backend that is listed, but not compiled in.
#[cold]
pub fn compiled_out(text: &str, condition: &str) -> DispatchError {
    let help = format!("this program was built without that backend; build it with `{condition}`");
    DispatchError::new(DispatchErrorKind::UnsupportedBackend, help).with_found("a backend that is compiled in", text)
}

/// The error for an autodiff device in a dispatch that is declared without `Autodiff`.
#[cold]
pub fn autodiff_disabled(device: &impl Display) -> DispatchError {
    let help = "add `Autodiff` to the list of backends in `#[backend_extension(..)]`, or enable the feature it is under";
    DispatchError::new(DispatchErrorKind::AutodiffDisabled, help).with_found("a dispatch with `Autodiff`", device)
}

/// The error for autodiff around an autodiff device.
#[cold]
pub fn wrapped_twice(device: &impl Display) -> DispatchError {
    let help = "the device tracks gradients already; use it as it is, or wrap its `inner()`";
    DispatchError::new(DispatchErrorKind::DeviceWrappedTwice, help).with_found("a plain device", device)
}

/// The error for autodiff around an autodiff tensor.
#[cold]
pub fn tensor_wrapped_twice(device: &impl Display) -> DispatchError {
    let help = "the tensor is on an autodiff device already; use it as it is";
    DispatchError::new(DispatchErrorKind::TensorWrappedTwice, help)
        .at_op("from_inner")
        .at_argument("tensor")
        .with_found("a tensor of a plain device", format_args!("a tensor of {device}"))
}

/// The device that `OPSWITCH_DEVICE` names, or else the first that this machine has.
///
/// # Panics
///
/// If the variable names no device, or there is none.
#[track_caller]
pub fn default_device<D: DeviceHandle>(devices: impl FnOnce() -> Vec<D>) -> D {
    match std::env::var(DEVICE_VARIABLE) {
        Ok(text) => text.parse().map_err(|error| format!("{DEVICE_VARIABLE}={text}: {error}")).or_raise(),
        Err(_) => devices().into_iter().next().ok_or("no listed backend has a device on this machine").or_raise(),
    }
}

/// The autodiff device of a dispatch without `Autodiff`: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoAutodiff {}
