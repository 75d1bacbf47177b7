//! `AutoDiff` is a near miss of `Autodiff`, not a backend.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, AutoDiff)]
pub struct Dispatch;

fn main() {}
