//! A dispatch has no generics.

use opswitch::backend_extension;

#[backend_extension(opswitch_cpu::Cpu)]
pub struct Dispatch<const N: usize>;

fn main() {}
