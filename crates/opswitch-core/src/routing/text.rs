//! Devices as text, and the errors around them.

use std::{fmt::Display, str::FromStr};

use crate::{
    backend::{Backend, Device},
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
        DispatchError::new(DispatchErrorKind::UnsupportedBackend, error.to_string())
            .with_found("a device of this machine", format_args!("`{text}`"))
    })
}

/// The error for a device text that names no listed backend.
#[cold]
pub fn unsupported_backend(text: &str, listed: &[&str]) -> DispatchError {
    let known = listed.join(", ");
    let example = listed.first().unwrap_or(&"cpu");
    let help = if text.trim_start().starts_with("autodiff") {
        format!("an autodiff device is written as in `autodiff({example})`")
    } else {
        format!(
            "write one of these names, with a number where there are several devices, as in `{example}:0`"
        )
    };
    DispatchError::new(DispatchErrorKind::UnsupportedBackend, help)
        .with_found(format_args!("one of {known}"), format_args!("`{text}`"))
}

/// The error for a backend that is listed, but not compiled in: the condition on it does not hold in `module`.
#[cold]
pub fn compiled_out(text: &str, condition: &str, module: &str) -> DispatchError {
    let krate = module.split("::").next().unwrap_or(module);
    let feature = condition.strip_prefix("feature = \"").and_then(|rest| rest.strip_suffix('"'));
    let help = match feature {
        Some(feature) => format!(
            "this program was built without it; enable the feature `{feature}` of the crate `{krate}`"
        ),
        None => {
            format!("this program was built without it; the crate `{krate}` has it under `cfg({condition})`")
        }
    };
    DispatchError::new(DispatchErrorKind::UnsupportedBackend, help)
        .with_found("a backend that is compiled in", format_args!("`{text}`"))
}

/// The error for an autodiff device in a dispatch that is declared without `Autodiff`.
#[cold]
pub fn autodiff_disabled(device: &impl Display) -> DispatchError {
    let help = "add `Autodiff` to the list of backends in `#[backend_extension(..)]`, or enable the feature it is under";
    DispatchError::new(DispatchErrorKind::AutodiffDisabled, help)
        .with_found("a dispatch with `Autodiff`", device)
}

/// The error for autodiff around an autodiff device.
#[cold]
pub fn wrapped_twice(device: impl Display) -> DispatchError {
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

/// Adds the devices of a backend to those of a dispatch.
pub fn list_devices<B: Backend, D>(devices: &mut Vec<D>, wrap: fn(Device<B>) -> D) {
    devices.extend(B::devices().into_iter().map(wrap));
}

/// The device that `OPSWITCH_DEVICE` names, or else the first that this machine has.
///
/// # Panics
///
/// If the variable names no device, or there is none.
#[track_caller]
pub fn default_device<D>(devices: impl FnOnce() -> Vec<D>) -> D
where
    D: FromStr<Err = DispatchError>,
{
    match std::env::var(DEVICE_VARIABLE) {
        Ok(text) => {
            text.parse().map_err(|error: DispatchError| error.at_argument(DEVICE_VARIABLE)).or_raise()
        }
        Err(_) => {
            devices().into_iter().next().ok_or("no listed backend has a device on this machine").or_raise()
        }
    }
}

/// The autodiff device of a dispatch without `Autodiff`: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoAutodiff {}
