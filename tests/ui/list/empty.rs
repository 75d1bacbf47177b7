//! A dispatch lists at least one backend.

use opswitch::backend_extension;

#[backend_extension()]
pub struct Dispatch;

fn main() {}
