//! Every built-in op on every backend, by the kit that op authors have.
//!
//! A new backend joins with one line in the list below, and a feature in `Cargo.toml` if it is not for every build.

use opswitch::{backend_extension, extend_dispatch};

/// The backends that are checked. `Npu` is a third party's, and has two devices, between which tensors can be misplaced.
#[backend_extension(
    Cpu = opswitch_cpu::Cpu,
    Npu = acme_npu::Npu,
    Wgpu = opswitch_wgpu::Wgpu: cfg(feature = "wgpu"),
    Cube = opswitch_cube::Cube: cfg(feature = "cube"),
    Autodiff,
)]
pub struct Dispatch;

extend_dispatch!(Dispatch: opswitch::ops::QuantizedOps);

#[cfg(test)]
mod bool;
#[cfg(test)]
mod float;
#[cfg(test)]
mod int;
#[cfg(test)]
mod nn;
#[cfg(test)]
mod quantized;
#[cfg(test)]
mod random;
#[cfg(test)]
mod spatial;
