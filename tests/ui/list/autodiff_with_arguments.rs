//! `Autodiff` takes no arguments.

use opswitch::backend_extension;

#[backend_extension(Autodiff(opswitch_cpu::Cpu))]
pub struct Dispatch;

fn main() {}
