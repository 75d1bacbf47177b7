//! A foreign container is not routed.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

use std::collections::HashMap;

#[backend_extension(Cpu)]
pub trait MapOps: Backend {
    fn merge(tensors: HashMap<String, FloatTensor<Self>>) -> FloatTensor<Self>;
}

impl MapOps for Cpu {
    fn merge(tensors: HashMap<String, FloatTensor<Self>>) -> FloatTensor<Self> {
        tensors.into_values().next().unwrap()
    }
}

fn main() {}
