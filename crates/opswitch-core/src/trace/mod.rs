//! A span for each routed op, and for each step of a backward pass, if the feature `tracing` is on.
//!
//! Which definition holds is decided here and not in generated code, whose conditions would be those of the crate that it
//! stands in. Without the feature every type is empty and every function too.

#[cfg(not(feature = "tracing"))]
mod off;
#[cfg(feature = "tracing")]
mod on;

#[cfg(not(feature = "tracing"))]
pub(crate) use self::off::{Forms, InSpan, OpSpan};
#[cfg(feature = "tracing")]
pub(crate) use self::on::{Forms, InSpan, OpSpan};
