//! Kernels in WGSL, and the templates that they are composed of.

use std::{borrow::Cow, fmt};

use thiserror::Error;

/// What stands for the placeholders of a [`Kernel`]: names and texts, which may have placeholders too.
pub type Values = Vec<(&'static str, Cow<'static, str>)>;

/// A compute shader in WGSL, with one entry point.
///
/// The bindings of group 0 are those of the [`Launch`](crate::Launch), in its order, the parameters last. Where the text
/// has `{{name}}`, the launch gives a value for `name`; `{{shared/math}}` stands for a file of this crate that kernels
/// share. Make it a `static`: a device compiles it once.
///
/// ```
/// use opswitch_wgpu::Kernel;
///
/// static DOUBLE: Kernel = Kernel::new(
///     "double",
///     "
///     @group(0) @binding(0) var<storage, read> x: array<f32>;
///     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
///
///     @compute @workgroup_size(64)
///     fn main(@builtin(global_invocation_id) id: vec3<u32>) {
///         if id.x < arrayLength(&y) {
///             y[id.x] = 2.0 * x[id.x];
///         }
///     }
///     ",
/// );
/// assert_eq!(DOUBLE.name(), "double");
/// ```
pub struct Kernel {
    name: &'static str,
    source: &'static str,
    trusted: bool,
}

impl Kernel {
    /// The kernel with this name, which errors give, and this text.
    pub const fn new(name: &'static str, source: &'static str) -> Self {
        Self { name, source, trusted: false }
    }

    /// A kernel that never leaves the bounds of its buffers, divides by no integer zero, and whose loops end: it runs
    /// without checks.
    ///
    /// # Safety
    ///
    /// The kernel keeps to that for all parameters with which it is launched.
    pub(crate) const unsafe fn trusted(name: &'static str, source: &'static str) -> Self {
        Self { name, source, trusted: true }
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// The text with `values` for its placeholders.
    ///
    /// # Errors
    ///
    /// If a placeholder has no value, or a value no placeholder.
    pub fn compose(&self, values: &Values) -> Result<String, TemplateError> {
        let mut composer =
            Composer { kernel: self.name, values, used: vec![false; values.len()], shared: Vec::new() };
        let mut text = String::new();
        composer.append(&mut text, self.source)?;
        if let Some(unused) = composer.used.iter().position(|used| !used) {
            return Err(TemplateError::Unused { kernel: self.name, name: values[unused].0 });
        }
        // The directive must come first, and is an error where the device lacks the type.
        Ok(if text.contains("f16") { format!("enable f16;\n{text}") } else { text })
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A kernel whose placeholders and values do not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A placeholder without a value.
    #[error("kernel `{kernel}` has the placeholder `{name}`, for which no value is given")]
    Unknown {
        /// The kernel.
        kernel: &'static str,
        /// The placeholder.
        name: String,
    },
    /// A value without a placeholder.
    #[error("kernel `{kernel}` has no placeholder `{name}`, for which a value is given")]
    Unused {
        /// The kernel.
        kernel: &'static str,
        /// The name of the value.
        name: &'static str,
    },
    /// A placeholder that does not end.
    #[error("kernel `{kernel}` opens a placeholder with `{{{{` and does not close it")]
    Open {
        /// The kernel.
        kernel: &'static str,
    },
}

macro_rules! shared {
    ($($name:literal)*) => { &[$(($name, include_str!(concat!("kernels/", $name, ".wgsl")))),*] };
}

/// The number of a variant that these parts tell from others.
pub(crate) fn variant<const N: usize>(parts: [u8; N]) -> u64 {
    const { assert!(N <= 8, "a number has room for eight parts") };
    parts.into_iter().fold(0, |variant, part| (variant << 8) | u64::from(part))
}

/// The files that kernels share, by the name of the placeholder that includes them.
const SHARED: &[(&str, &str)] = shared! {
    "shared/arc"
    "shared/circular"
    "shared/convert"
    "shared/erf"
    "shared/exp"
    "shared/exponentials"
    "shared/float"
    "shared/hyperbolic"
    "shared/index"
    "shared/int"
    "shared/ln"
    "shared/matmul"
    "shared/merge"
    "shared/power"
    "shared/reduce"
    "shared/remainder"
    "shared/softplus"
    "shared/strided"
    "loops/binary_scalar"
    "loops/binary_vector"
    "loops/unary_scalar"
    "loops/unary_vector"
};

struct Composer<'a> {
    kernel: &'static str,
    values: &'a Values,
    used: Vec<bool>,
    shared: Vec<&'static str>,
}

impl Composer<'_> {
    fn append(&mut self, text: &mut String, mut source: &str) -> Result<(), TemplateError> {
        while let Some((before, rest)) = source.split_once("{{") {
            let (name, after) = rest.split_once("}}").ok_or(TemplateError::Open { kernel: self.kernel })?;
            text.push_str(before);
            self.append_placeholder(text, name)?;
            source = after;
        }
        text.push_str(source);
        Ok(())
    }

    fn append_placeholder(&mut self, text: &mut String, name: &str) -> Result<(), TemplateError> {
        if let Some(index) = self.values.iter().position(|value| value.0 == name) {
            self.used[index] = true;
            return self.append(text, &self.values[index].1);
        }
        match SHARED.iter().find(|shared| shared.0 == name) {
            Some((name, _)) if self.shared.contains(name) => Ok(()),
            Some((name, source)) => {
                self.shared.push(name);
                self.append(text, source)
            }
            None => Err(TemplateError::Unknown { kernel: self.kernel, name: name.to_owned() }),
        }
    }
}

/// Composes a kernel of this crate and has naga check it, as a device would.
///
/// # Panics
///
/// If it is not valid.
#[cfg(test)]
pub(crate) fn validate(kernel: &Kernel, values: &Values) {
    use wgpu::naga::{
        front::wgsl,
        valid::{Capabilities, ValidationFlags, Validator},
    };

    let text = kernel.compose(values).unwrap_or_else(|error| panic!("{error}"));
    let name = kernel.name();
    let module = wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{name}: {}\n{text}", error.emit_to_string(&text)));
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}: {}\n{text}", error.emit_to_string(&text)));
}

/// As [`validate`], for a kernel that walks strided tensors, with two loops.
///
/// # Panics
///
/// If it is not valid.
#[cfg(test)]
pub(crate) fn validate_strided(kernel: &Kernel, values: &Values) {
    let mut values = values.clone();
    values.push(("rank", "2".into()));
    validate(kernel, &values);
}

#[cfg(test)]
mod tests {
    use super::*;

    static KERNEL: Kernel = Kernel::new("scale", "fn scale(x: {{type}}) -> {{type}} { return {{body}}; }");

    #[test]
    fn placeholders_are_replaced() {
        let values: Values = vec![("type", "f32".into()), ("body", "x * 2.0".into())];
        assert_eq!(KERNEL.compose(&values).unwrap(), "fn scale(x: f32) -> f32 { return x * 2.0; }");
    }

    #[test]
    fn a_placeholder_without_a_value_is_named() {
        let error = KERNEL.compose(&vec![("type", "f32".into())]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel `scale` has the placeholder `body`, for which no value is given"
        );
    }

    #[test]
    fn a_value_without_a_placeholder_is_named() {
        let values: Values = vec![("type", "f32".into()), ("body", "x".into()), ("boby", "x".into())];
        let error = KERNEL.compose(&values).unwrap_err();
        assert_eq!(error.to_string(), "kernel `scale` has no placeholder `boby`, for which a value is given");
    }

    #[test]
    fn an_open_placeholder_is_an_error() {
        let error = Kernel::new("open", "fn {{name").compose(&vec![]).unwrap_err();
        assert_eq!(error.to_string(), "kernel `open` opens a placeholder with `{{` and does not close it");
    }

    #[test]
    fn f16_is_enabled_where_it_is_used() {
        let values: Values = vec![("type", "f16".into()), ("body", "x".into())];
        assert!(KERNEL.compose(&values).unwrap().starts_with("enable f16;\n"));
    }
}
