//! `families` has one value.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, families = all)]
pub struct Dispatch;

fn main() {}
