//! `self` is a path, and no name.

use opswitch::backend_extension;

#[backend_extension(self)]
pub struct Dispatch;

fn main() {}
