//! What burn reports as `an autodiff float primitive must have an enabled autodiff context` cannot be written down.

use opswitch::{AutodiffTensor, DispatchTensor, Float};
use opswitch_cpu::Cpu;

pub fn plain(tensor: AutodiffTensor<Cpu>) -> DispatchTensor<Float> {
    DispatchTensor::<Float>::Cpu(tensor)
}

fn main() {}
