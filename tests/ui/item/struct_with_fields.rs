//! A dispatch has no fields.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub struct Dispatch {
    device: usize,
}

fn main() {}
