//! `Autodiff` takes no other name.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, Training = Autodiff)]
pub struct Dispatch;

fn main() {}
