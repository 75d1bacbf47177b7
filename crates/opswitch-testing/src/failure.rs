//! What a check says when it fails.

use std::fmt;

use opswitch_core::DType;

/// How many failures of one test are shown; the others are counted.
const SHOWN: usize = 5;

/// A check that failed: which op, with which sample, where, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub(crate) op: String,
    pub(crate) what: String,
    pub(crate) sample: String,
    pub(crate) inputs: Option<String>,
    pub(crate) device: String,
    pub(crate) dtype: Option<DType>,
    pub(crate) worst: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.op, self.what)?;
        let mut line = |label: &str, text: Option<&str>| match text {
            Some(text) => write!(f, "\n  {label:<8} {text}"),
            None => Ok(()),
        };
        line("sample:", Some(&self.sample))?;
        line("inputs:", self.inputs.as_deref())?;
        line("device:", Some(&self.device))?;
        line("dtype:", self.dtype.map(DType::name))?;
        line("worst:", self.worst.as_deref())
    }
}

/// The failures of one aspect of an op on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures(pub(crate) Vec<Failure>);

impl Failures {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.0.iter()
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, failure) in self.0.iter().take(SHOWN).enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(f, "{separator}{failure}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Failures {}
