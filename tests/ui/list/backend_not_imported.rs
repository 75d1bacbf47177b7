//! A backend is listed by a path that is in scope.

use opswitch::backend_extension;

#[backend_extension(Cpu)]
pub struct Dispatch;

fn main() {}
