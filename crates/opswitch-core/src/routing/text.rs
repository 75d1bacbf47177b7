//! Devices as text, and the errors around them.

use std::{fmt::Display, str::FromStr};

use crate::{
    backend::{Backend, Device},
    error::{DispatchError, DispatchErrorKind},
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

/// The devices of a backend as those of a dispatch.
pub fn devices_of<B: Backend, D>(wrap: fn(Device<B>) -> D) -> Vec<D> {
    B::devices().into_iter().map(wrap).collect()
}

/// The devices of all backends, in the order of the lists.
pub fn enumerate<D>(lists: &[fn() -> Vec<D>]) -> Vec<D> {
    lists.iter().flat_map(|list| list()).collect()
}

/// The device that `OPSWITCH_DEVICE` names, or else the first of the first backend that has one: those after it may have
/// drivers to load.
///
/// # Errors
///
/// If the variable names no device, or there is none.
pub fn default_device<D>(lists: &[fn() -> Vec<D>]) -> Result<D, DispatchError>
where
    D: FromStr<Err = DispatchError>,
{
    if let Ok(text) = std::env::var(DEVICE_VARIABLE) {
        return text.parse().map_err(|error: DispatchError| error.at_argument(DEVICE_VARIABLE));
    }
    lists.iter().find_map(|list| list().into_iter().next()).ok_or_else(no_device)
}

#[cold]
fn no_device() -> DispatchError {
    let help = "list a backend that this machine has a device for, such as one that runs on the CPU";
    DispatchError::new(DispatchErrorKind::UnsupportedBackend, help)
        .with_found("a listed backend with a device on this machine", "none")
}

/// The autodiff device of a dispatch without `Autodiff`: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoAutodiff {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Named(String);

    impl FromStr for Named {
        type Err = DispatchError;

        fn from_str(text: &str) -> Result<Self, DispatchError> {
            Ok(Self(text.to_owned()))
        }
    }

    #[test]
    fn the_default_device_asks_one_backend_after_the_other() {
        let found = default_device::<Named>(&[
            Vec::new,
            || vec![Named("npu:0".to_owned())],
            || panic!("loads a driver"),
        ]);
        let expected = std::env::var(DEVICE_VARIABLE).unwrap_or_else(|_| "npu:0".to_owned());
        assert_eq!(found.ok(), Some(Named(expected)));
    }

    #[test]
    fn a_machine_without_any_device_is_told_so() {
        if std::env::var(DEVICE_VARIABLE).is_err() {
            let text = default_device::<Named>(&[Vec::new]).unwrap_err().to_string();
            assert!(text.starts_with("unsupported dispatch backend"), "{text}");
            assert!(text.contains("a listed backend with a device on this machine"), "{text}");
        }
    }
}
