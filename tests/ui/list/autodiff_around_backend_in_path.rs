//! `Autodiff` stands beside the backends, by whatever path.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, opswitch::Autodiff<Cpu>)]
pub struct Dispatch;

fn main() {}
