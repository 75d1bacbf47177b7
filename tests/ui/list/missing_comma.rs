//! Entries are separated by commas.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu Autodiff)]
pub struct Dispatch;

fn main() {}
