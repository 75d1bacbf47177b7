//! The wgpu backend of opswitch: tensors on Vulkan, Metal and DirectX 12, with kernels in WGSL.
//!
//! Element types are f32, i32, u32, bool, and f16 where the adapter has it. Movement ops make views and copy nothing.
//! Kernels are gathered into one submission until something is read, and nothing waits before that. A kernel of your
//! own is a [`Kernel`] from a `.wgsl` file and a [`Launch`] of it.
//!
//! Indices that ops make are i32. A device does not report an index that is out of range: where an op reads there, it gives
//! NaN, or 0 for integers, and where it adds, nothing changes. Sums at indices are added in the order of the indices, so that
//! results repeat. Random elements are those of Philox4x32-10, the same for the same seed on every adapter.
//!
//! ```
//! use opswitch_core::{Backend, TensorData, ops::FloatOps};
//! use opswitch_wgpu::Wgpu;
//!
//! // A machine without a GPU, and without a driver that computes on the CPU, has no devices.
//! if let Some(device) = Wgpu::devices().first() {
//!     println!("{}", Wgpu::device_info(device).name);
//!     let x = Wgpu::float_from_data(TensorData::new(vec![1f32, 2.0, 3.0], [3])?, device)?;
//!     let y = Wgpu::float_into_data_blocking(Wgpu::float_add_scalar(x, 0.5))?;
//!     assert_eq!(y.as_slice::<f32>()?, [1.5, 2.5, 3.5]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
mod mapping;
mod matmul;
mod memory;
mod nn;
mod pipeline;
mod quantized;
mod random;
mod read;
mod reduce;
mod strided;
mod tensor;

pub use self::{
    device::{Wgpu, WgpuDevice},
    kernel::{Kernel, TemplateError, Values},
    launch::Launch,
    memory::MemoryUsage,
    random::DEFAULT_SEED,
    tensor::WgpuTensor,
};
