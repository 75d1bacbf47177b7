//! The CPU backend of opswitch.
//!
//! Tensors are strided views of typed vectors; movement ops make views and copy nothing. Loops are written so that
//! the compiler vectorises them, run on all cores above a size, and write into an input's buffer where no other
//! handle needs it.

mod bool;
mod conv;
mod device;
mod element;
mod elementwise;
mod erf;
mod exp;
mod float;
mod index;
mod int;
mod lines;
mod matmul;
mod movement;
mod nn;
mod parallel;
mod plan;
mod pool;
mod quantized;
mod random;
mod reduce;
mod tensor;

pub use self::{
    device::{Cpu, CpuDevice},
    random::DEFAULT_SEED,
    tensor::CpuTensor,
};
