//! Tensor operations written once, dispatched at run time to any backend, and trained through.

mod tensor;

#[doc(hidden)]
pub use opswitch_core::__private;
pub use opswitch_core::*;
// Named one by one: a macro is not looked for behind a glob while other macros of this crate expand.
pub use opswitch_core::{AutodiffOps, ops};
pub use opswitch_macros::{ExtensionType, backend_extension, extend_dispatch};

/// The backends that the features of this crate bring, with autodiff around each.
#[backend_extension(crate = crate, Cpu = opswitch_cpu::Cpu: cfg(feature = "cpu"), Autodiff)]
pub struct Dispatch;

pub use self::tensor::{ElementKind, Extent, KindOps, NestedArray, NumericOps, Scalar, SliceArg, SliceArgs, Tensor};
