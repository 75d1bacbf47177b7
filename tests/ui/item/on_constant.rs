//! The attribute stands on a struct or a trait, not on a constant.

use opswitch::backend_extension;

#[backend_extension]
pub const SIZE: usize = 1;

fn main() {}
