//! The name of a backend is one of a variant.

use opswitch::backend_extension;

#[backend_extension(cpu = opswitch_cpu::Cpu)]
pub struct Dispatch;

fn main() {}
