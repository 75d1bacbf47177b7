//! A backend is listed once.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, opswitch_cpu::Cpu)]
pub struct Dispatch;

fn main() {}
