//! A dispatch with a mistake is still a backend for everything that names it.

use opswitch::{Device, FloatTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, AutoDiff)]
pub struct Dispatch;

pub fn zeros(device: &Device<Dispatch>) -> FloatTensor<Dispatch> {
    Dispatch::float_zeros([2].into(), opswitch::DType::F32, device)
}

fn main() {}
