//! `Autodiff` stands beside the backends, not around one.

use opswitch::backend_extension;

#[backend_extension(Autodiff<opswitch_cpu::Cpu>)]
pub struct Dispatch;

fn main() {}
