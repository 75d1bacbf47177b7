//! What the tests of the tensor type share.

use std::{
    cell::RefCell,
    panic::{Location, UnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
};

thread_local! {
    /// The file that this thread's expected panic is reported in; `None` while none is expected.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The text that a misuse panics with; the panic must be reported in the file that calls this.
#[track_caller]
pub(crate) fn panic_text<R>(misuse: impl FnOnce() -> R + UnwindSafe) -> String {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            PLACE.with_borrow_mut(|place| match place {
                Some(place) => info.location().map_or("", Location::file).clone_into(place),
                None => usual(info),
            });
        }));
    });
    let caller = Location::caller().file();
    PLACE.set(Some(String::new()));
    let outcome = catch_unwind(misuse);
    let place = PLACE.take().expect("set above");
    let payload = outcome.err().expect("a misuse panics");
    let text = payload.downcast_ref::<String>().expect("a text").clone();
    assert_eq!(place, caller, "{text}");
    text
}
