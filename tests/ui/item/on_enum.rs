//! A dispatch is a unit struct; the enums are generated.

use opswitch::backend_extension;

#[backend_extension(opswitch_cpu::Cpu)]
pub enum Dispatch {}

fn main() {}
