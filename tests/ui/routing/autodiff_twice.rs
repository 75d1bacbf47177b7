//! `Autodiff` wraps a backend once.

use opswitch::{Autodiff, FloatTensor};
use opswitch_cpu::Cpu;

pub struct Model {
    pub weight: FloatTensor<Autodiff<Autodiff<Cpu>>>,
}

fn main() {}
