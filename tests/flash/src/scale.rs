//! Units of measure, which are the app's.

use opswitch::{backend_extension, ops::CoreOps, FloatTensor};

/// A unit of measure.
pub trait Unit: Copy + Send + Sync + 'static {
    /// How much of the base unit one of this unit is.
    fn factor(self) -> f64;
}

/// Conversions between the units of an app, which implements the trait for the backends that it lists.
// The bound is a path from `crate`, since it is repeated where the trait is routed.
#[backend_extension]
pub trait ScaleOps<U: crate::Unit>: CoreOps {
    /// `x`, which is in `unit`, in the base unit.
    #[backward {
        x => B::float_mul_scalar(grad, unit.factor());
    }]
    fn in_base(x: FloatTensor<Self>, unit: U) -> FloatTensor<Self> {
        Self::float_mul_scalar(x, unit.factor())
    }
}
