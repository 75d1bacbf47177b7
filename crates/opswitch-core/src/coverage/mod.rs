//! Which ops a dispatch has, and where each comes from: the table behind [`DispatchBackend::ops`].
//!
//! [`DispatchBackend::ops`]: crate::DispatchBackend::ops

mod record;

use std::{any::TypeId, fmt};

pub use self::record::{BackendEntry, NoEntry, Op, OpTrait, RoutedTrait, formula};
use crate::routing::DispatchBackend;

/// The ops that are routed through a dispatch, with the gradient of each and where each backend has it from.
///
/// It holds what is compiled in: backends and ops whose `cfg` is off are not there. The traits come in the order of their
/// paths, the ops of a trait in the order in which they are declared. The text is a table, aligned by spaces.
///
/// Made by [`DispatchBackend::ops`](crate::DispatchBackend::ops), from records that the attribute leaves in the program. It
/// is meant for start-up and for tests; no call of an op looks anything up in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpTable {
    backends: Vec<&'static str>,
    rows: Vec<OpRow>,
}

impl OpTable {
    /// The table of a dispatch.
    pub fn of<D: DispatchBackend>() -> Self {
        let mut traits: Vec<&RoutedTrait> = inventory::iter::<RoutedTrait>
            .into_iter()
            .filter(|routed| routed.dispatch == TypeId::of::<D>())
            .collect();
        // Records arrive in the order in which the program was linked.
        traits.sort_by_key(|routed| routed.key());
        let backends = traits.first().map_or(&[] as &[_], |routed| routed.backends);
        Self {
            backends: backends.iter().map(|(name, _)| *name).collect(),
            rows: traits.into_iter().flat_map(RoutedTrait::rows).collect(),
        }
    }

    /// The names of the backends, in the order of the dispatch's list; none if no op is routed.
    pub fn backends(&self) -> &[&'static str] {
        &self.backends
    }

    /// One row an op.
    pub fn rows(&self) -> &[OpRow] {
        &self.rows
    }

    /// The row of an op by its name in messages, as in `FusedOps::matmul_add_relu`. The first, if several crates have such
    /// a trait.
    pub fn row(&self, op: &str) -> Option<&OpRow> {
        self.rows.iter().find(|row| row.op() == op)
    }
}

impl fmt::Display for OpTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["op", "gradient"].into_iter().chain(self.backends.iter().copied()).map(str::to_owned);
        let lines: Vec<Vec<String>> =
            std::iter::once(head.collect()).chain(self.rows.iter().map(OpRow::cells)).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..2 + self.backends.len()).map(width).collect();
        for line in &lines {
            let padded = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            writeln!(f, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// One op of an [`OpTable`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpRow {
    /// The trait, with the module that declares it: `acme::ops::FusedOps`.
    pub trait_path: &'static str,
    /// The name of the function.
    pub name: &'static str,
    /// How it is differentiated.
    pub gradient: OpGradient,
    /// Each backend of the dispatch, by its name, and where it has the op from.
    pub sources: Vec<(&'static str, OpSource)>,
}

impl OpRow {
    /// The op by its name in messages: `FusedOps::matmul_add_relu`.
    pub fn op(&self) -> String {
        let trait_ = self.trait_path.rsplit("::").next().unwrap_or(self.trait_path);
        format!("{trait_}::{}", self.name)
    }

    /// Where a backend has the op from; nothing if the dispatch has no backend of this name.
    pub fn source(&self, backend: &str) -> Option<OpSource> {
        self.sources.iter().find(|(name, _)| *name == backend).map(|(_, source)| *source)
    }

    fn cells(&self) -> Vec<String> {
        let sources = self.sources.iter().map(|(_, source)| source.to_string());
        [self.op(), self.gradient.to_string()].into_iter().chain(sources).collect()
    }
}

/// Where a backend has an op from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpSource {
    /// The backend's implementation of the trait has it.
    Kernel,
    /// The body in the trait.
    DefaultBody,
    /// One of the two. `#[backend_extension]` on the implementation tells which, if the trait is not generic.
    KernelOrDefaultBody,
}

impl fmt::Display for OpSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kernel => "kernel",
            Self::DefaultBody => "default body",
            Self::KernelOrDefaultBody => "kernel or default body",
        })
    }
}

/// How an op is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpGradient {
    /// By the formulas of `#[backward { .. }]`.
    Formula {
        /// The inputs that have a formula.
        inputs: &'static [&'static str],
        /// The inputs that are `=> none`: walking back through them is an error.
        none: &'static [&'static str],
    },
    /// Not: `#[backward(none)]`.
    None,
    /// Through the ops that the body in the trait calls: `#[backward(default)]`.
    DefaultBody,
    /// By an implementation for `Autodiff<B>` that somebody writes: the trait has no `#[backward]` at all.
    HandWritten,
}

impl fmt::Display for OpGradient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Formula { inputs, none: [] } => write!(f, "formula: {}", inputs.join(", ")),
            Self::Formula { inputs: [], none } => write!(f, "none: {}", none.join(", ")),
            Self::Formula { inputs, none } => {
                write!(f, "formula: {}; none: {}", inputs.join(", "), none.join(", "))
            }
            Self::None => f.pad("none"),
            Self::DefaultBody => f.pad("default body"),
            Self::HandWritten => f.pad("hand-written"),
        }
    }
}
