//! The contract of opswitch: what a backend is, the built-in op families, how ops are routed, and the engine that
//! differentiates them.
//!
//! Backend crates depend on this crate alone. Applications and op authors use the facade crate `opswitch`, which
//! re-exports all of it.

// The attribute's expansion inside this crate reaches it by the path `crate`.
#[doc(hidden)]
pub mod __private;
mod any_tensor;
mod autodiff;
mod backend;
mod coverage;
mod data;
mod device_info;
mod dtype;
mod error;
mod kind;
pub mod layout;
mod op_error;
pub mod ops;
mod quantized;
mod routing;
pub mod shape;
mod slice;
mod trace;

pub use half;
/// Declares ops and dispatches, and marks a backend's implementation of ops.
///
/// The crate `opswitch` documents it. There the generated code reaches this crate; in a crate that depends on this one
/// alone, a trait or a dispatch says `crate = opswitch_core`.
pub use opswitch_macros::backend_extension;

pub use self::{
    any_tensor::AnyTensor,
    autodiff::{
        Autodiff, AutodiffDevice, AutodiffOps, AutodiffTensor, BackwardOptions, Checkpointing,
        GradientSource, GradientTarget, Gradients, Untracked, grad, gradients_between,
    },
    backend::{
        Backend, BoolTensor, Device, DeviceHandle, FloatTensor, IntTensor, NoTensor, PlainBackend,
        QuantizedTensor, TensorHandle,
    },
    coverage::{OpGradient, OpRow, OpSource, OpTable},
    data::{Elements, TensorData},
    device_info::{DeviceInfo, DeviceKind, DeviceTable},
    dtype::{DType, Element},
    error::{
        BackwardError, DataError, DeviceError, DispatchError, DispatchErrorKind, OrRaise, ShapeError, raise,
    },
    kind::{Bool, Float, Int, Quantized, TensorKind},
    op_error::{OpError, check_same_type, check_type},
    quantized::{
        Packed, PackedReads, QuantBits, QuantLevel, QuantMode, QuantParts, QuantScheme, QuantizedData,
    },
    routing::{Direct, DispatchBackend, DispatchDeviceHandle, Listed, OneOf, Opaque, TransferTo, Way},
    shape::Shape,
    slice::{Slice, SliceIndices, resolve_slices},
};
