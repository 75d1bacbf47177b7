//! A dispatch has no generics.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub struct Dispatch<const N: usize>;

fn main() {}
