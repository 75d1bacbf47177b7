//! The attribute stands where a dispatch is declared, not on another name for it.

use opswitch::backend_extension;

#[backend_extension]
pub type Dispatch = opswitch::Dispatch;

fn main() {}
