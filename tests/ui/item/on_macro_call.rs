//! The attribute stands on an item, not on a macro that makes one.

use opswitch::backend_extension;

macro_rules! dispatch {
    () => {};
}

#[backend_extension]
dispatch! {}

fn main() {}
