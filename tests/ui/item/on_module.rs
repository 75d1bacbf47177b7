//! The attribute stands on each trait, not on their module.

use opswitch::backend_extension;

#[backend_extension]
pub mod ops {}

fn main() {}
