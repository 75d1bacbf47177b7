//! `diagnostic = none` is for a trait.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, diagnostic = none)]
pub struct Dispatch;

fn main() {}
