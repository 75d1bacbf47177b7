//! The wgpu backend of opswitch: tensors on Vulkan, Metal and DirectX 12, with kernels in WGSL.
//!
//! Element types are f32, i32, u32, bool, and f16 where the adapter has it. Movement ops make views and copy nothing.
//! Kernels are gathered into one submission until something is read, and nothing waits before that. A kernel of your
//! own is a [`Kernel`] from a `.wgsl` file and a [`Launch`] of it.

mod adapter;
mod assign;
mod batch;
mod bool;
mod context;
mod copy;
mod device;
mod elementwise;
mod float;
mod index;
mod int;
mod kernel;
mod launch;
mod matmul;
mod memory;
mod nn;
mod pipeline;
mod random;
mod read;
mod reduce;
mod strided;
mod tensor;

pub use self::{
    adapter::{AdapterInfo, AdapterKind},
    device::{Wgpu, WgpuDevice},
    kernel::{Kernel, TemplateError, Values},
    launch::Launch,
    memory::MemoryUsage,
    random::DEFAULT_SEED,
    tensor::WgpuTensor,
};
