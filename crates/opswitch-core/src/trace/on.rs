//! Spans of the crate `tracing`.

use std::{
    fmt::{Display, Write},
    time::Instant,
};

use tracing::{
    Instrument, Level, Span,
    field::{Empty, display},
    instrument::Instrumented,
    span,
};

use crate::backend::TensorHandle;

/// A future that is in a span whenever it is polled.
pub(crate) type InSpan<F> = Instrumented<F>;

/// The span of one call. Its time is recorded when it is dropped.
///
/// The span is entered by hand and not by `tracing`'s guard, which cannot cross threads: the same type is held across the
/// `await` of an asynchronous op, where it is not entered.
pub(crate) struct OpSpan {
    span: Span,
    /// `None` where nobody listens.
    start: Option<Instant>,
    entered: bool,
}

impl OpSpan {
    /// The span of an op, entered until it is dropped.
    #[inline]
    pub(crate) fn enter(op: &'static str) -> Self {
        Self::start(op_span(op), true)
    }

    /// The span of an asynchronous op, entered by its future alone.
    #[inline]
    pub(crate) fn detached(op: &'static str) -> Self {
        Self::start(op_span(op), false)
    }

    /// The span of an op's turn in a backward pass, entered until it is dropped.
    pub(crate) fn backward(op: &'static str) -> Self {
        Self::start(span!(target: "opswitch", Level::TRACE, "backward", op, elapsed_ns = Empty), true)
    }

    #[inline]
    fn start(span: Span, entered: bool) -> Self {
        if span.is_disabled() {
            return Self { span, start: None, entered: false };
        }
        if entered {
            span.with_subscriber(|(id, subscriber)| subscriber.enter(id));
        }
        Self { span, start: Some(Instant::now()), entered }
    }

    /// What collects the shapes of the arguments, if somebody listens.
    #[inline]
    pub(crate) fn forms(&self) -> Forms {
        Forms(self.start.map(|_| String::new()))
    }

    #[inline]
    pub(crate) fn record_shapes(&self, Forms(text): Forms) {
        if let Some(text) = text {
            self.span.record("shapes", display(text));
        }
    }

    #[inline]
    pub(crate) fn record_device(&self, device: &impl Display) {
        if self.start.is_some() {
            self.span.record("device", display(device));
        }
    }

    #[cold]
    pub(crate) fn record_error(&self, error: &impl Display) {
        self.span.record("error", display(error));
    }

    pub(crate) fn instrument<F>(&self, future: F) -> InSpan<F> {
        future.instrument(self.span.clone())
    }
}

impl Drop for OpSpan {
    #[inline]
    fn drop(&mut self) {
        let Some(start) = self.start else { return };
        self.span.record("elapsed_ns", start.elapsed().as_nanos() as u64);
        if self.entered {
            self.span.with_subscriber(|(id, subscriber)| subscriber.exit(id));
        }
    }
}

#[inline]
fn op_span(op: &'static str) -> Span {
    span!(
        target: "opswitch",
        Level::TRACE,
        "op",
        op,
        device = Empty,
        shapes = Empty,
        error = Empty,
        elapsed_ns = Empty,
    )
}

/// The element types and shapes of tensors, as text: `f32[2, 3], i64[2]`.
#[derive(Default)]
pub(crate) struct Forms(Option<String>);

impl Forms {
    #[inline]
    pub(crate) fn add(&mut self, tensor: &impl TensorHandle) {
        if let Some(text) = &mut self.0 {
            let separator = if text.is_empty() { "" } else { ", " };
            write!(text, "{separator}{}{}", tensor.dtype(), tensor.shape())
                .expect("a string takes all that is written");
        }
    }
}
