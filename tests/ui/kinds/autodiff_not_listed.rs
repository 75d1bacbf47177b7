//! A dispatch without `Autodiff` has no tracked tensor.

use opswitch::{Float, backend_extension};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu)]
pub struct Plain;

pub fn track(tensor: PlainTensor<Float>) -> bool {
    matches!(tensor, PlainTensor::Autodiff(_))
}

fn main() {}
