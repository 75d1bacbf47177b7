//! Calls that may panic.

use std::{
    cell::{Cell, RefCell},
    fmt,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// What a panic says, and where it was raised.
#[derive(Clone, Debug)]
pub(crate) struct Panic {
    pub(crate) text: String,
    at: String,
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {})", self.text, self.at)
    }
}

/// The value of `call`, or its panic, of which nothing is printed.
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
                return;
            }
            let at = info.location().map_or_else(String::new, ToString::to_string);
            let text = info.payload_as_str().unwrap_or("a value that is no text").to_owned();
            LAST.set(Some(Panic { text, at }));
        }));
    });
    let was_quiet = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    QUIET.set(was_quiet);
    result.map_err(|_| LAST.take().expect("the hook has run"))
}
