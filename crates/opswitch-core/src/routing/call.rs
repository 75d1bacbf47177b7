//! One routed call.

use std::marker::PhantomData;

use super::{DispatchBackend, Routed, RoutedRef, Selection, Via};
use crate::{
    backend::{Backend, Device},
    error::DispatchError,
    trace::{InSpan, OpSpan},
};

/// A call of an op on dispatch `D` that returns an `R`.
pub struct Call<D, R> {
    op: &'static str,
    /// How the call fails.
    pub outcome: Outcome<R>,
    dispatch: PhantomData<D>,
    span: OpSpan,
}

impl<D: DispatchBackend, R> Call<D, R> {
    /// A call of the op with this name.
    #[inline]
    pub fn new(op: &'static str) -> Self {
        Self::in_span(op, OpSpan::enter(op))
    }

    /// A call of the asynchronous op with this name.
    #[inline]
    pub fn asynchronous(op: &'static str) -> Self {
        Self::in_span(op, OpSpan::detached(op))
    }

    #[inline]
    fn in_span(op: &'static str, span: OpSpan) -> Self {
        Self { op, outcome: Outcome(PhantomData), dispatch: PhantomData, span }
    }

    /// What looks at the arguments.
    #[inline]
    pub fn select(&self) -> Selection<D> {
        Selection::start(self.span.forms())
    }

    /// Where the op runs, after all arguments were looked at.
    ///
    /// # Errors
    ///
    /// If they name no device, or devices that do not go together.
    #[inline]
    pub fn place(&self, mut selection: Selection<D>) -> Result<Device<D>, DispatchError> {
        self.span.record_shapes(selection.take_forms());
        let device = selection.finish()?;
        self.span.record_device(&device);
        Ok(device)
    }

    /// The error with the op's name.
    // Inlined, so that the call itself need not be in memory.
    #[inline]
    pub fn at_op(&self, error: DispatchError) -> DispatchError {
        self.span.record_error(&error);
        error.at_op(self.op)
    }

    /// The call on backend `B`.
    #[inline]
    pub fn to<B: Backend>(self, device: Device<B>) -> To<D, B, R> {
        To { call: self, via: Via { device, dispatch: PhantomData } }
    }
}

/// A call that has found its backend `B`.
pub struct To<D: DispatchBackend, B: Backend, R> {
    /// The call.
    pub call: Call<D, R>,
    via: Via<D, B>,
}

impl<D: DispatchBackend, B: Backend, R> To<D, B, R> {
    /// Lowers an argument.
    ///
    /// # Errors
    ///
    /// If a tensor inside is elsewhere.
    #[inline]
    pub fn lower<T: Routed<Via<D, B>>>(
        &self,
        argument: &'static str,
        value: T,
    ) -> Result<T::Lowered, DispatchError> {
        value.lower(&self.via).map_err(|error| at(error, argument))
    }

    /// Lowers a borrowed argument.
    ///
    /// # Errors
    ///
    /// If a tensor inside is elsewhere.
    #[inline]
    pub fn lower_ref<'a, T: RoutedRef<Via<D, B>> + ?Sized>(
        &self,
        argument: &'static str,
        value: &'a T,
    ) -> Result<T::Guard<'a>, DispatchError> {
        value.lower_ref(&self.via).map_err(|error| at(error, argument))
    }

    /// The future of an asynchronous kernel, as part of this call.
    #[inline]
    pub fn in_span<F>(&self, kernel: F) -> InSpan<F> {
        self.call.span.instrument(kernel)
    }

    /// Lifts the result.
    #[inline]
    pub fn lift(&self, lowered: R::Lowered) -> R
    where
        R: Routed<Via<D, B>>,
    {
        R::lift(lowered, &self.via)
    }
}

#[cold]
pub(super) fn at(error: DispatchError, argument: &'static str) -> DispatchError {
    error.at_argument(argument.trim_start_matches(['&', ' ']).trim_start_matches("r#"))
}

/// How a call with return type `R` reports that it could not be routed.
///
/// `(&&outcome).fail(error)` returns the error if `R` is a `Result` whose error can be made from a [`DispatchError`], and
/// panics else: the method of [`ReturnError`] needs one reference less, so it is found first.
pub struct Outcome<R>(PhantomData<fn() -> R>);

/// Failing by returning the error.
pub trait ReturnError<R> {
    /// The error as a return value.
    fn fail(&self, error: DispatchError) -> R;
}

impl<T, E: From<DispatchError>> ReturnError<Result<T, E>> for &Outcome<Result<T, E>> {
    #[cold]
    fn fail(&self, error: DispatchError) -> Result<T, E> {
        Err(error.into())
    }
}

/// Failing by a panic at the caller's line.
pub trait PanicError<R> {
    /// Panics with the error's text.
    fn fail(&self, error: DispatchError) -> R;
}

impl<R> PanicError<R> for Outcome<R> {
    #[cold]
    #[track_caller]
    fn fail(&self, error: DispatchError) -> R {
        error.raise()
    }
}

/// The device that a call runs on; leaves the calling function with the error if there is none.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    ($call:ident $(, $argument:expr)*) => {
        match $call.place($call.select()$(.see(::core::stringify!($argument), $argument))*) {
            ::core::result::Result::Ok(device) => device,
            ::core::result::Result::Err(error) => return $crate::__fail!($call, error),
        }
    };
}

/// An argument on the backend of a call; leaves the calling function with the error if it is elsewhere.
#[doc(hidden)]
#[macro_export]
macro_rules! __lower {
    ($to:ident, &$argument:ident) => {
        &*match $to.lower_ref(::core::stringify!($argument), $argument) {
            ::core::result::Result::Ok(lowered) => lowered,
            ::core::result::Result::Err(error) => return $crate::__fail!($to.call, error),
        }
    };
    ($to:ident, $argument:ident) => {
        match $to.lower(::core::stringify!($argument), $argument) {
            ::core::result::Result::Ok(lowered) => lowered,
            ::core::result::Result::Err(error) => return $crate::__fail!($to.call, error),
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __fail {
    ($($call:tt).+, $error:ident) => {{
        use $crate::__private::{PanicError as _, ReturnError as _};
        let error = $($call).+.at_op($error);
        (&&$($call).+.outcome).fail(error)
    }};
}
