//! A dispatch is extended with a trait.

opswitch::extend_dispatch!();

fn main() {}
