//! A type of tensors is generic in its backend.

use opswitch::{ExtensionType, FloatTensor};

#[derive(ExtensionType)]
pub struct Camera {
    position: FloatTensor<opswitch_cpu::Cpu>,
}

fn main() {}
