//! What burn reports as `only float tensors may use an autodiff primitive` cannot be written down.

use opswitch::{AutodiffTensor, DispatchAutodiff, DispatchTensor, Int};
use opswitch_cpu::Cpu;

pub fn track(tensor: AutodiffTensor<Cpu>) -> DispatchTensor<Int> {
    DispatchTensor::<Int>::Autodiff(DispatchAutodiff::<Int>::Cpu(tensor))
}

fn main() {}
