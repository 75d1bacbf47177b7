//! A subscriber that keeps what it is told.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// A span, and what happened to it.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) name: &'static str,
    pub(crate) target: &'static str,
    pub(crate) level: Level,
    fields: BTreeMap<&'static str, String>,
    /// How often it was entered, and left.
    pub(crate) entered: usize,
    pub(crate) exited: usize,
    references: usize,
}

impl Recorded {
    /// The text of a field; empty if there is none.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// Whether it is over: left as often as it was entered, with its time taken, and closed.
    pub(crate) fn is_over(&self) -> bool {
        let timed = self.field("elapsed_ns").parse::<u64>().is_ok_and(|nanoseconds| nanoseconds > 0);
        timed && self.entered == self.exited && self.references == 0
    }
}

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

/// The spans in the order in which they began.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Recorded>>>);

impl Recorder {
    pub(crate) fn spans(&self) -> Vec<Recorded> {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.0.lock().expect("no test panics in here")
    }

    fn change(&self, id: &Id, change: impl FnOnce(&mut Recorded)) {
        change(&mut self.locked()[id.into_u64() as usize - 1]);
    }
}

impl Subscriber for Recorder {
    /// Other crates may have spans too.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("opswitch")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let metadata = attributes.metadata();
        let mut span = Recorded {
            name: metadata.name(),
            target: metadata.target(),
            level: *metadata.level(),
            fields: BTreeMap::new(),
            entered: 0,
            exited: 0,
            references: 1,
        };
        attributes.record(&mut span);
        let mut spans = self.locked();
        spans.push(span);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        self.change(id, |span| values.record(span));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.change(id, |span| span.entered += 1);
    }

    fn exit(&self, id: &Id) {
        self.change(id, |span| span.exited += 1);
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.change(id, |span| span.references += 1);
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        self.change(&id, |span| span.references -= 1);
        self.locked()[id.into_u64() as usize - 1].references == 0
    }
}
