//! The spans of routed ops, as a subscriber sees them.

mod recorder;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use opswitch::{
    AutodiffOps, Backend, BackwardOptions, DispatchError, FloatTensor, IntTensor, TensorData,
    backend_extension, ops::FloatOps,
};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, TestDispatch, TestDispatchDevice};
use tracing::{Level, level_filters::LevelFilter, subscriber::with_default};

use self::recorder::{Recorded, Recorder};

/// Ops of each kind.
#[backend_extension(dispatch = TestDispatch)]
trait TracedOps: FloatOps {
    #[backward { x => grad; other => none; }]
    fn first(
        x: FloatTensor<Self>,
        scale: f64,
        index: &IntTensor<Self>,
        other: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self> {
        let _ = (scale, index, other);
        x
    }

    #[backward(none)]
    fn fallible(x: FloatTensor<Self>, y: FloatTensor<Self>) -> Result<FloatTensor<Self>, DispatchError> {
        Ok(Self::float_add(x, y))
    }

    #[backward(none)]
    async fn later(x: FloatTensor<Self>) -> FloatTensor<Self> {
        pause().await;
        x
    }

    #[backward(none)]
    fn promised(x: FloatTensor<Self>) -> impl Future<Output = FloatTensor<Self>> + Send {
        async move {
            pause().await;
            x
        }
    }
}

impl TracedOps for Cpu {}
impl TracedOps for Npu {}

/// Ready when it is polled a second time.
async fn pause() {
    let mut polled = false;
    std::future::poll_fn(|context| {
        if polled {
            return Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn float(values: &[f32], place: &str) -> FloatTensor<TestDispatch> {
    let device: TestDispatchDevice = place.parse().expect("a device of the dispatch");
    let data = TensorData::new(values.to_vec(), [values.len()]).expect("a vector");
    TestDispatch::float_from_data(data, &device).expect("every backend has f32")
}

fn int(values: &[i64], place: &str) -> IntTensor<TestDispatch> {
    let device: TestDispatchDevice = place.parse().expect("a device of the dispatch");
    let data = TensorData::new(values.to_vec(), [1, values.len()]).expect("a matrix");
    TestDispatch::int_from_data(data, &device).expect("every backend has i64")
}

/// Keeps the other tests waiting. `tracing` remembers for all threads whether anybody listens to a place, and while there is
/// one subscriber, it asks the thread that comes there first: not the one that listens, perhaps.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The spans during a call.
fn spans(call: impl FnOnce()) -> Vec<Recorded> {
    let recorder = Recorder::default();
    with_default(recorder.clone(), call);
    recorder.spans()
}

/// The only one of them.
#[track_caller]
fn only(spans: &[Recorded]) -> &Recorded {
    let [span] = spans else { panic!("one span is expected: {spans:?}") };
    assert_eq!((span.name, span.target, span.level), ("op", "opswitch", Level::TRACE));
    span
}

#[test]
fn an_op_is_a_span() {
    let _alone = alone();
    for place in ["cpu", "npu:1", "autodiff(cpu)", "autodiff(npu:0)"] {
        let (x, index) = (float(&[1.0, 2.0], place), int(&[3], place));
        let spans = spans(|| drop(TestDispatch::first(x.clone(), 2.0, &index, Some(x))));
        let span = only(&spans);
        assert_eq!(span.field("op"), "TracedOps::first");
        assert_eq!(span.field("device"), place);
        assert_eq!(span.field("shapes"), "f32[2], i64[1, 1], f32[2]");
        assert_eq!(span.field("error"), "");
        assert_eq!(span.entered, 1);
        assert!(span.is_over(), "{span:?}");
    }
}

/// The op runs on the autodiff device though its first tensor is plain, and the span says where it ran.
#[test]
fn the_device_is_the_one_that_runs() {
    let _alone = alone();
    let spans = spans(|| {
        let tracked = TestDispatch::require_grad(float(&[1.0], "autodiff(cpu)")).expect("an autodiff device");
        drop(TestDispatch::fallible(float(&[1.0], "cpu"), tracked));
    });
    let span = spans.iter().find(|span| span.field("op") == "TracedOps::fallible").expect("it was called");
    assert_eq!(span.field("device"), "autodiff(cpu)");
}

/// Polls the future of an op that takes two polls, and looks at its span between them.
fn poll_twice(future: impl Future<Output = FloatTensor<TestDispatch>>, recorder: &Recorder) {
    let mut context = Context::from_waker(Waker::noop());
    let mut future = pin!(future);
    assert!(recorder.spans().is_empty(), "nothing runs before the first poll");
    assert!(future.as_mut().poll(&mut context).is_pending());
    let between = recorder.spans();
    let span = only(&between);
    assert_eq!((span.entered, span.exited), (1, 1), "the span is left while the op waits");
    assert_eq!(span.field("elapsed_ns"), "");
    assert!(future.as_mut().poll(&mut context).is_ready());
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn an_asynchronous_op_is_in_its_span_while_it_is_polled() {
    let _alone = alone();
    let check = |op: &str, recorder: &Recorder| {
        let spans = recorder.spans();
        let span = only(&spans);
        assert_eq!(span.field("op"), op);
        assert_eq!(span.field("device"), "npu:0");
        assert_eq!(span.field("shapes"), "f32[1]");
        assert!(span.entered >= 2);
        assert!(span.is_over(), "{span:?}");
    };
    let recorder = Recorder::default();
    with_default(recorder.clone(), || {
        poll_twice(TestDispatch::later(float(&[1.0], "npu:0")), &recorder);
    });
    check("TracedOps::later", &recorder);
    let recorder = Recorder::default();
    with_default(recorder.clone(), || {
        poll_twice(is_send(TestDispatch::promised(float(&[1.0], "npu:0"))), &recorder);
    });
    check("TracedOps::promised", &recorder);
}

/// A future that is dropped before it is done has taken its time too.
#[test]
fn a_cancelled_op_ends_its_span() {
    let _alone = alone();
    let spans = spans(|| {
        let mut future = Box::pin(TestDispatch::promised(float(&[1.0], "cpu")));
        assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    });
    assert!(only(&spans).is_over());
}

#[test]
fn an_error_is_a_field() {
    let _alone = alone();
    let first_line = "Tensor is on the wrong backend (expected cpu).";
    let error_of = |spans: &[Recorded]| {
        let span = only(spans);
        assert!(span.is_over(), "{span:?}");
        assert_eq!(span.field("device"), "cpu");
        assert_eq!(span.field("shapes"), "f32[1], f32[1]");
        span.field("error").lines().next().map(str::to_owned)
    };
    let returned = spans(|| {
        let result = TestDispatch::fallible(float(&[1.0], "cpu"), float(&[1.0], "npu:0"));
        assert!(result.is_err());
    });
    assert_eq!(error_of(&returned).as_deref(), Some(first_line));
    let raised = spans(|| {
        let call = || TestDispatch::float_add(float(&[1.0], "cpu"), float(&[1.0], "npu:0"));
        assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    });
    assert_eq!(error_of(&raised).as_deref(), Some(first_line));
}

/// Where no backend is found, the device stays empty.
#[test]
fn without_a_device() {
    let _alone = alone();
    let spans = spans(|| {
        assert!(catch_unwind(|| TestDispatch::float_cat(Vec::new(), 0)).is_err());
    });
    let span = only(&spans);
    assert_eq!((span.field("device"), span.field("shapes")), ("", ""));
    assert!(span.field("error").starts_with("No tensor input to select a backend from."));
}

#[test]
fn a_backward_pass_is_a_span_for_each_op() {
    let _alone = alone();
    let x = TestDispatch::require_grad(float(&[2.0], "autodiff(cpu)")).expect("an autodiff device");
    let y = TestDispatch::float_exp(TestDispatch::float_mul_scalar(x, 3.0));
    let spans = spans(|| {
        TestDispatch::backward(y, None, BackwardOptions::default()).expect("it is tracked");
    });
    let walked: Vec<&str> =
        spans.iter().filter(|span| span.name == "backward").map(|span| span.field("op")).collect();
    assert_eq!(walked, ["FloatOps::float_exp", "FloatOps::float_mul_scalar"]);
    assert!(spans.iter().all(Recorded::is_over));
}

/// Spans are of level TRACE: whoever asks for less sees none.
#[test]
fn other_levels_see_nothing() {
    struct Coarse(Recorder);

    impl tracing::Subscriber for Coarse {
        fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
            *metadata.level() <= LevelFilter::DEBUG
        }

        fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            self.0.new_span(span)
        }

        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

        fn event(&self, _: &tracing::Event<'_>) {}

        fn enter(&self, _: &tracing::span::Id) {}

        fn exit(&self, _: &tracing::span::Id) {}
    }

    let _alone = alone();
    let recorder = Recorder::default();
    with_default(Coarse(recorder.clone()), || drop(TestDispatch::float_neg(float(&[1.0], "cpu"))));
    assert!(recorder.spans().is_empty());
}
