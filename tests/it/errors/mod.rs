//! Every way to misuse a dispatch, by the whole text: as a panic at the caller's line, and as an `Err`.

mod devices;
mod kernels;
mod ops;
mod positions;
mod spatial;
mod tensors;

use std::{
    cell::{Cell, RefCell},
    panic,
    sync::Once,
};

use opswitch::{Backend, FloatTensor, TensorData};
use opswitch_tests::{TestDispatch, TestDispatchDevice};

thread_local! {
    /// Whether the next panic on this thread is meant.
    static MEANT: Cell<bool> = const { Cell::new(false) };
    /// Text, file and line of the last panic that was meant.
    static LAST: RefCell<Option<(String, String, u32)>> = const { RefCell::new(None) };
}

/// The text of the panic in an expression, which is located at the expression's own line.
macro_rules! panic_text {
    ($call:expr) => {
        crate::errors::panic_at(file!(), line!(), || {
            let _ = $call;
        })
    };
}

use panic_text;

#[track_caller]
fn panic_at(file: &str, line: u32, call: impl FnOnce()) -> String {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if MEANT.get() {
                let at = info.location().expect("panics have a location");
                let text = info.payload_as_str().unwrap_or_default().to_owned();
                LAST.set(Some((text, at.file().to_owned(), at.line())));
            } else {
                usual(info);
            }
        }));
    });
    MEANT.set(true);
    let result = panic::catch_unwind(panic::AssertUnwindSafe(call));
    MEANT.set(false);
    assert!(result.is_err(), "nothing was refused");
    let (text, found_file, found_line) = LAST.take().expect("the hook has run");
    assert_eq!((&*found_file, found_line), (file, line), "where `{text}` was raised");
    text
}

fn device(text: &str) -> TestDispatchDevice {
    text.parse().expect("a device of the dispatch")
}

/// The float tensor `[1.0, 2.0]`.
fn float(place: &str) -> FloatTensor<TestDispatch> {
    let data = TensorData::new(vec![1.0f32, 2.0], [2]).expect("two elements");
    TestDispatch::float_from_data(data, &device(place)).expect("every backend has f32")
}

/// The integer tensor `[0, 1]`.
fn int(place: &str) -> opswitch::IntTensor<TestDispatch> {
    let data = TensorData::new(vec![0i64, 1], [2]).expect("two elements");
    TestDispatch::int_from_data(data, &device(place)).expect("every backend has i64")
}
