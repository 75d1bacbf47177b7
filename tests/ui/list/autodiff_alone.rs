//! `Autodiff` needs a backend to wrap, on a struct.

use opswitch::backend_extension;

#[backend_extension(Autodiff)]
pub struct Dispatch;

fn main() {}
