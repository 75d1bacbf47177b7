//! No backend is called `Autodiff`.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Autodiff = Cpu)]
pub struct Dispatch;

fn main() {}
