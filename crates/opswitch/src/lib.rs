//! Tensor operations written once, dispatched at run time to any backend, and trained through.
//!
//! - [`Tensor`] is what an application computes with. It runs on [`Dispatch`], whose device is a value: `"cpu".parse()`.
//! - [`backend_extension`] adds operations of your own, and declares dispatches over backends of your choice.
//! - [`ops`] holds the built-in op families, which are declared with the same attribute.
//!
//! ```
//! use opswitch::{DispatchDevice, Tensor};
//!
//! let device: DispatchDevice = "autodiff(cpu)".parse()?;
//! let x = Tensor::<1>::from_floats([1.0, 2.0, 3.0], &device).require_grad();
//! let grads = (x.clone() * x.clone()).sum().backward();
//! assert_eq!(x.grad(&grads).unwrap().to_string(), "[2. 4. 6.]");
//! # Ok::<(), opswitch::DispatchError>(())
//! ```
//!
//! # Features
//!
//! - `cpu` (default): the CPU backend.
//! - `wgpu`: the backend of GPUs on Vulkan, Metal and DirectX 12, with kernels in WGSL.
//! - `cube`: the `CubeCL` backend, on wgpu. `cube-vulkan`, `cube-metal`, `cube-cuda` and `cube-hip` bring its other runtimes.
//! - `ndarray`: `TensorData` to and from the arrays of the crate [`ndarray`](https://docs.rs/ndarray), views and strides included.
//! - `safetensors`: `State`, named tensors in files that other tools read and write.
//! - `tracing`: a span of the crate [`tracing`](https://docs.rs/tracing) for each op that is routed. Off, there is nothing of
//!   it in the program; on, with nobody listening, a call checks that and goes on.
//!
//! Without any backend, [`Dispatch`] lists none; an application then declares its own over the backends that it depends on.
//!
//! # Spans
//!
//! With the feature `tracing`, every call of an op on a dispatch is a span with the target `opswitch`, the name `op` and the
//! level TRACE, since there are as many of them as there are calls.
//!
//! | field | holds |
//! |---|---|
//! | `op` | the trait and the function: `FusedOps::matmul_add_relu` |
//! | `device` | where it runs: `autodiff(cpu)`; empty if that could not be found |
//! | `shapes` | the tensors among the arguments, in order: `f32[2, 3], i64[2]` |
//! | `error` | the text of the [`DispatchError`], if the call could not be routed |
//! | `elapsed_ns` | the time of the call, in nanoseconds |
//!
//! The time is that of the call. Where a device works on its own, that is the time to queue the work, not to do it. An
//! asynchronous op is in its span whenever its future is polled, and its time lasts until the future is done or dropped.
//!
//! A backward pass has a span for each recorded op that it walks, with the name `backward` and the fields `op` and
//! `elapsed_ns`; an op with several float results has one more for each of them.

mod grad;
#[cfg(feature = "safetensors")]
mod state;
mod tensor;
mod transaction;

#[doc(hidden)]
pub use opswitch_core::__private;
pub use opswitch_core::*;
// Named one by one: a macro is not looked for behind a glob while other macros of this crate expand.
pub use opswitch_core::{AutodiffOps, ops};
/// Lets a struct or enum of tensors be an argument or a result of an op.
///
/// The type is generic in its backend: the type parameter called `B`, or the only one, or the one named by
/// `#[extension(backend = Name)]`. Fields that mention the backend are routed; all others pass as they are. Inside this
/// type, anything that is routed by itself may be nested.
///
/// ```
/// use opswitch::{Backend, ExtensionType, FloatTensor};
///
/// #[derive(ExtensionType)]
/// struct Camera<B: Backend> {
///     position: FloatTensor<B>,
///     lens: Option<FloatTensor<B>>,
///     width: u32,
/// }
/// ```
///
/// `#[extension(crate = path)]` is for crates that reach opswitch by another name.
pub use opswitch_macros::ExtensionType;
/// Declares a dispatch, or routes the ops of a trait through one, or marks an implementation of them.
///
/// # On a unit struct: a dispatch
///
/// ```
/// # use opswitch::backend_extension;
/// use opswitch_cpu::Cpu;
///
/// #[backend_extension(
///     Cpu,                                                // a backend that is in scope
///     Other = opswitch_cpu::Cpu: cfg(feature = "other"),  // a name, a path, and a condition of this crate
///     Autodiff,                                           // autodiff around each of them
/// )]
/// pub struct Compute;
///
/// let device: ComputeDevice = "cpu".parse()?;
/// assert!(device.autodiff().is_autodiff());
/// # Ok::<(), opswitch::DispatchError>(())
/// ```
///
/// The struct becomes a backend. Beside it come `ComputeDevice` and `ComputeTensor`, enums with one variant a backend. The
/// built-in op families are routed too, unless `families = none` is in the list.
///
/// # On a trait: ops
///
/// ```
/// # use opswitch::{Dispatch, FloatTensor, backend_extension, ops::{CoreOps, FloatOps}};
/// # use opswitch_cpu::Cpu;
/// #[backend_extension(dispatch = Dispatch)]
/// pub trait SquareOps: CoreOps {
///     /// x² + y
///     #[backward {
///         x => B::float_mul(grad, B::float_mul_scalar(x, 2.0));
///         y => grad;
///     }]
///     fn square_add(x: FloatTensor<Self>, y: FloatTensor<Self>) -> FloatTensor<Self>;
/// }
///
/// impl SquareOps for Cpu {
///     fn square_add(x: FloatTensor<Self>, y: FloatTensor<Self>) -> FloatTensor<Self> {
///         Self::float_add(Self::float_square(x), y)
///     }
/// }
/// # fn main() {}
/// ```
///
/// | options | the ops are routed through |
/// |---|---|
/// | `dispatch = path` | that dispatch |
/// | a list of backends | a new dispatch, declared beside the trait and called `Dispatch` |
/// | nothing | those that name the trait in [`extend_dispatch!`] |
/// | `backends = any` | the same, and nobody implements the trait: each op has a body, which is its kernel on every backend |
///
/// `crate = path` goes with each, for crates that reach opswitch by another name. `diagnostic = none` goes with a trait in a
/// module with `#![no_implicit_prelude]`, where the attribute `#[diagnostic::on_unimplemented]` has no path.
///
/// An op runs on the backend and device of its first tensor, else of its first `Device<Self>`; all other tensors must be
/// there too. If that fails, an op that returns a `Result<_, E>` with `E: From<DispatchError>` returns the error; any other
/// panics at the line that called it.
///
/// # Types and constants
///
/// A trait of ops may have associated types, such as a plan or a cache that each backend defines for itself. That of the
/// dispatch is an enum of its backends', and that of `Autodiff<B>` is [`Opaque<B::Plan>`](Opaque): it carries no gradient. Ops
/// take and return it as they do tensors, and a value made on another backend is refused like a tensor that is elsewhere. A
/// constant has a value in the trait, which the dispatch keeps; a backend may have another.
///
/// ```
/// # use opswitch::{Device, Dispatch, FloatTensor, backend_extension, ops::FloatOps};
/// # use opswitch_cpu::Cpu;
/// #[backend_extension(dispatch = Dispatch)]
/// pub trait ShiftOps: FloatOps {
///     type Plan: Clone + Send + Sync + 'static;
///
///     #[backward(none)]
///     fn plan(by: f64, device: &Device<Self>) -> Self::Plan;
///
///     #[backward { x => grad; }]
///     fn shift(x: FloatTensor<Self>, plan: &Self::Plan) -> FloatTensor<Self>;
/// }
///
/// impl ShiftOps for Cpu {
///     type Plan = f64;
///
///     fn plan(by: f64, _: &Device<Self>) -> f64 {
///         by
///     }
///
///     fn shift(x: FloatTensor<Self>, plan: &f64) -> FloatTensor<Self> {
///         Self::float_add_scalar(x, *plan)
///     }
/// }
/// # fn main() {}
/// ```
///
/// # Gradients
///
/// If one op of a trait says what its gradient is, all do:
///
/// | attribute | meaning |
/// |---|---|
/// | `#[backward { x => formula; y => none; }]` | one formula a differentiable input; walking back through `y` is an error |
/// | `#[backward(none)]` | not differentiable; on the trait, for every op without an attribute of its own |
/// | `#[backward(default)]` | differentiable through the ops that the default body calls |
///
/// A formula is an expression over the backend `B`. It may read `grad` (or `grads.0`, `grads.1` for several outputs),
/// `output`, and the inputs by name; what it reads is saved, if the input is tracked. `x.shape()`, `x.dtype()` and
/// `x.device()` save no more than that, and for a list of tensors `x.shapes()`. Statements before the first formula run
/// once, for all. The formula of an `Option` sees the tensor itself and runs only if there is one; that of a `Vec`, a tuple
/// or an [`ExtensionType`] yields the same form.
///
/// `#[op(memory_bound)]` marks an op whose result is cheaper to compute again than to keep, which
/// [`Checkpointing::Balanced`] does. A trait without any of these has its `impl MyOps for Autodiff<B>` written by hand.
///
/// # On an implementation: the table of ops
///
/// [`DispatchBackend::ops`] says of each op that is routed what its gradient is, and where each backend has it from. An op
/// without a body in the trait has a kernel. For one with a body, the attribute on the implementation tells which of the two
/// it is; it is optional there, and takes no options. A macro inside the implementation counts for the ops whose names it is
/// given.
///
/// ```
/// use opswitch::{Backend, DispatchBackend as _, FloatTensor, backend_extension};
/// use opswitch_cpu::Cpu;
///
/// #[backend_extension(Cpu, families = none)]
/// pub struct Compute;
///
/// #[backend_extension(dispatch = Compute)]
/// #[backward(none)]
/// pub trait CopyOps: Backend {
///     fn copied(x: &FloatTensor<Self>) -> FloatTensor<Self>;
///
///     fn copied_twice(x: &FloatTensor<Self>) -> [FloatTensor<Self>; 2] {
///         [Self::copied(x), Self::copied(x)]
///     }
/// }
///
/// #[backend_extension]
/// impl CopyOps for Cpu {
///     fn copied(x: &FloatTensor<Self>) -> FloatTensor<Self> {
///         x.clone()
///     }
/// }
///
/// fn main() {
///     let table = "\
/// op                     gradient  cpu
/// CopyOps::copied        none      kernel
/// CopyOps::copied_twice  none      default body
/// ";
///     assert_eq!(Compute::ops().to_string(), table);
/// }
/// ```
pub use opswitch_macros::backend_extension;
/// Routes the ops of traits from a library through a dispatch of this crate.
///
/// ```
/// # use opswitch::{backend_extension, extend_dispatch};
/// # use opswitch_cpu::Cpu;
/// mod flash {
///     # use opswitch::{FloatTensor, backend_extension, ops::CoreOps};
///     #[backend_extension]
///     pub trait FlashOps: CoreOps {
///         #[backward { x => grad; }]
///         fn pass(x: FloatTensor<Self>) -> FloatTensor<Self>;
///     }
/// }
///
/// impl flash::FlashOps for Cpu {
///     fn pass(x: opswitch::FloatTensor<Self>) -> opswitch::FloatTensor<Self> {
///         x
///     }
/// }
///
/// #[backend_extension(Cpu, Autodiff)]
/// pub struct Compute;
///
/// extend_dispatch!(Compute: flash::FlashOps);
/// # fn main() {}
/// ```
pub use opswitch_macros::extend_dispatch;

pub use self::grad::Grad;
#[cfg(feature = "safetensors")]
pub use self::state::{State, StateError, StateErrorKind};
pub use self::tensor::{
    ElementKind, Extent, FloatTensors, KindOps, NestedArray, NumericOps, Scalar, SliceArg, SliceArgs, Tensor,
};
pub use self::transaction::Transaction;

/// The backends that the features of this crate bring, with autodiff around each.
#[backend_extension(
    crate = crate,
    Cpu = opswitch_cpu::Cpu: cfg(feature = "cpu"),
    Wgpu = opswitch_wgpu::Wgpu: cfg(feature = "wgpu"),
    Cube = opswitch_cube::Cube: cfg(feature = "cube"),
    Autodiff,
)]
pub struct Dispatch;

extend_dispatch! {
    crate = crate;
    Dispatch: crate::ops::QuantizedOps
}
