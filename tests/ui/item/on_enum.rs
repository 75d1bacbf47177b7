//! A dispatch is a unit struct; the enums are generated.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub enum Dispatch {}

fn main() {}
