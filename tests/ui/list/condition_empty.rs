//! A condition says something.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu: cfg())]
pub struct Dispatch;

fn main() {}
