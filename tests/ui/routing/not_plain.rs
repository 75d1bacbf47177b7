//! `Autodiff` wraps plain backends, and a dispatch is none.

use opswitch::backend_extension;

#[backend_extension(Inner = opswitch::Dispatch, Autodiff, families = none)]
pub struct Dispatch;

fn main() {}
