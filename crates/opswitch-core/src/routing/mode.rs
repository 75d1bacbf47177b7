//! Whether a backend holds plain values or tracks gradients, as a type.
//!
//! An op library for any backend cannot implement its trait twice, for every plain backend and for [`Autodiff`]: to the
//! compiler the two might overlap, since it is this crate alone that knows that no `Autodiff` is a plain backend. The
//! library therefore implements it once, for every backend with a mode, and has a body for each mode.

use super::variants::{Plain, Tracking};
use crate::{
    autodiff::Autodiff,
    backend::{Backend, PlainBackend},
};

/// A backend that is known to be plain, or to be [`Autodiff`] around a plain one. A dispatch is neither.
pub trait HasMode: Backend {
    /// [`Plain`] or [`Tracking`].
    type Mode;
}

impl<B: PlainBackend> HasMode for B {
    type Mode = Plain;
}

impl<B: PlainBackend> HasMode for Autodiff<B> {
    type Mode = Tracking;
}
