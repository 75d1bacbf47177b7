//! A backend is a path, not a string.

use opswitch::backend_extension;

#[backend_extension("cpu")]
pub struct Dispatch;

fn main() {}
