//! What the tests share: the dispatches that they run on, over the CPU and a second backend.
//!
//! That one, `Npu`, is a third party's: it has two devices, and knows nothing of these tests. What it can do is in
//! `tests/acme-npu`.

use opswitch::backend_extension;

pub use acme_npu::{Npu, NpuDevice, NpuTensor, direct_moves, waits};

/// Two backends, one of them with two devices, and autodiff around both.
#[backend_extension(Cpu = opswitch_cpu::Cpu, Npu, Autodiff)]
pub struct TestDispatch;

/// A dispatch without autodiff.
#[backend_extension(Cpu = opswitch_cpu::Cpu)]
pub struct PlainDispatch;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
