//! What a check says when it fails.

use std::fmt;

use opswitch_core::DType;

/// How many failures of one test are shown; the others are counted.
const SHOWN: usize = 5;

/// A check that failed: which op, with which sample, where, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    op: String,
    what: String,
    sample: String,
    device: String,
    inputs: Option<String>,
    dtype: Option<DType>,
    worst: Option<String>,
}

impl Failure {
    /// An op, what is wrong with it, with which sample, and where.
    pub(crate) fn new(op: &str, what: impl Into<String>, sample: String, device: &impl fmt::Display) -> Self {
        Self(Box::new(Report {
            op: op.to_owned(),
            what: what.into(),
            sample,
            device: device.to_string(),
            inputs: None,
            dtype: None,
            worst: None,
        }))
    }

    /// The failure with what is special about its inputs.
    pub(crate) fn with_inputs(mut self, inputs: &impl fmt::Display) -> Self {
        self.0.inputs = Some(inputs.to_string());
        self
    }

    /// The failure with the float type that was checked.
    pub(crate) fn in_dtype(mut self, dtype: DType) -> Self {
        self.0.dtype = Some(dtype);
        self
    }

    /// The failure with the element that is furthest off.
    pub(crate) fn with_worst(mut self, worst: String) -> Self {
        self.0.worst = Some(worst);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { op, what, sample, device, inputs, dtype, worst } = &*self.0;
        write!(f, "{op}: {what}")?;
        let mut line = |label: &str, text: Option<&str>| match text {
            Some(text) => write!(f, "\n  {label:<8} {text}"),
            None => Ok(()),
        };
        line("sample:", Some(sample))?;
        line("inputs:", inputs.as_deref())?;
        line("device:", Some(device))?;
        line("dtype:", dtype.map(DType::name))?;
        line("worst:", worst.as_deref())
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
