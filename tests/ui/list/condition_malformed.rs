//! A condition is one that `cfg` takes.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu: cfg(feature "cpu"))]
pub struct Dispatch;

fn main() {}
