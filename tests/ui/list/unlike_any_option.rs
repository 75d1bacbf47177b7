//! An unknown option that is close to none.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, precision = half)]
pub struct Dispatch;

fn main() {}
