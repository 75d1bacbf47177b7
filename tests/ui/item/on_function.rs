//! The attribute stands on a struct or a trait, not on a function.

use opswitch::backend_extension;

#[backend_extension]
pub fn scale() {}

fn main() {}
