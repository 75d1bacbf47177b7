//! What the tests share: a second backend, as a third party would write it, and the dispatches that they run
//! on.

mod npu;

use opswitch::backend_extension;

pub use self::npu::{Npu, NpuDevice, NpuTensor, direct_moves};

/// Two backends, one of them with two devices, and autodiff around both.
#[backend_extension(Cpu = opswitch_cpu::Cpu, Npu, Autodiff)]
pub struct TestDispatch;

/// A dispatch without autodiff.
#[backend_extension(Cpu = opswitch_cpu::Cpu)]
pub struct PlainDispatch;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
