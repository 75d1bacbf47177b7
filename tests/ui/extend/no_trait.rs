//! A dispatch is extended with at least one trait.

use opswitch::extend_dispatch;

extend_dispatch!(opswitch::Dispatch:);

fn main() {}
