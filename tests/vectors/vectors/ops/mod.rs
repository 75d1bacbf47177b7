//! How each op is called.

mod bool;
mod float;
mod int;
mod nn;
mod quantized;
mod spatial;

use crate::args::{Args, Output};

/// Calls an op with the inputs and parameters of a case.
pub(crate) type Run = fn(&Args<'_>) -> Vec<Output>;

/// Entries of a table: `run![name |args| expression, ..]`.
macro_rules! run {
    ($($op:ident |$args:ident| $call:expr),* $(,)?) => {
        &[$((stringify!($op), |$args: &Args<'_>| IntoOutputs::into_outputs($call))),*]
    };
}

/// Entries for ops of the same arguments: `same![names; |args| (arguments)]`.
macro_rules! same {
    ($($op:ident)*; |$args:ident| $arguments:tt) => {
        &[$((stringify!($op), |$args: &Args<'_>| IntoOutputs::into_outputs(Dispatch::$op $arguments))),*]
    };
}

use {run, same};

type Table = &'static [(&'static str, Run)];

fn tables() -> impl Iterator<Item = &'static (&'static str, Run)> {
    [bool::TABLES, float::TABLES, int::TABLES, nn::TABLES, quantized::TABLES, spatial::TABLES]
        .into_iter()
        .flatten()
        .copied()
        .flatten()
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    tables().map(|(name, _)| *name)
}

pub(crate) fn find(op: &str) -> Option<Run> {
    tables().find(|(name, _)| *name == op).map(|(_, run)| *run)
}
