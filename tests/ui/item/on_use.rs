//! The attribute stands where a trait is declared, not where it is imported.

use opswitch::backend_extension;

#[backend_extension]
pub use opswitch::ops::FloatOps;

fn main() {}
