//! The CubeCL backend of opswitch: one set of kernels, written in Rust, for several runtimes.
//!
//! A device says which runtime it belongs to, and the features of this crate say which runtimes are compiled in:
//!
//! | feature | runtime | tested |
//! |---|---|---|
//! | `wgpu` (default) | Vulkan, Metal, DirectX 12 and OpenGL, through WGSL | on Mesa's software Vulkan |
//! | `vulkan` | as `wgpu`, through SPIR-V on Vulkan | type-checked, not run |
//! | `metal` | as `wgpu`, through the Metal shading language on Metal | type-checked, not run |
//! | `cuda`, `hip` | NVIDIA's and AMD's own | type-checked, not run |
//!
//! Floats are `f32`, and `f16` where the device has it; ints are `i32` and `u32`. Other element types are refused with the
//! name of a device that has them.
//!
//! Kernels run on their own time. An op that fails (out of memory, a kernel that does not compile, a lost device) panics
//! nowhere: its result carries the failure, so does everything computed from that, and reading it gives the
//! [`DeviceError`](opswitch_core::DeviceError).
//!
//! Values on a device cannot be seen without waiting for it. An index out of range is therefore no panic: it reads 0, adds
//! nothing, and touches no memory. What is added at indices is added in their order, so that the same inputs give the same
//! bits. Random numbers are those of Philox4x32-10, counted for each device from [`DEFAULT_SEED`].
//!
//! A kernel of your own takes a dozen lines; see [`CubeTensor::compute`].

#![allow(
    clippy::used_underscore_binding,
    reason = "a kernel's element types are named for its launch, and no name is used in it"
)]

mod assign;
mod backend;
mod bool;
mod copy;
mod create;
mod device;
mod element;
mod elementwise;
mod failure;
mod float;
mod index;
mod int;
mod launch;
mod machine;
mod math;
mod matmul;
mod nn;
mod quantized;
mod random;
mod read;
mod reduce;
mod scatter;
mod tensor;
mod walk;

pub use cubecl;

pub use self::{
    backend::Cube,
    device::{CubeDevice, MemoryUse},
    launch::grid,
    random::DEFAULT_SEED,
    tensor::CubeTensor,
};
