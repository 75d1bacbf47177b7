//! `Autodiff` is listed once.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, Autodiff, Autodiff)]
pub struct Dispatch;

fn main() {}
