//! One backend under two names is still listed twice.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, Host = Cpu)]
pub struct Dispatch;

fn main() {}
