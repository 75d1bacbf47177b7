//! A dispatch has no fields.

use opswitch::backend_extension;

#[backend_extension(opswitch_cpu::Cpu)]
pub struct Dispatch {
    device: usize,
}

fn main() {}
