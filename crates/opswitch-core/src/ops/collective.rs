//! Ops that several devices take part in.

use opswitch_macros::backend_extension;

use crate::{
    backend::{Backend, Device, FloatTensor, TensorHandle},
    error::DispatchError,
};

/// How a collective op combines the tensors of its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReduceOp {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
}

/// Collective ops. A backend without them writes `impl CollectiveOps for Npu {}`, and they are refused by name.
#[backend_extension(crate = crate)]
pub trait CollectiveOps: Backend {
    /// Combines the tensors that the devices of `group` hold, and gives every one of them the result.
    ///
    /// # Errors
    ///
    /// If the backend has no collective ops, or the devices are of several backends.
    #[backward(none)]
    fn all_reduce(
        tensor: FloatTensor<Self>,
        group: &[Device<Self>],
        reduce: ReduceOp,
    ) -> Result<FloatTensor<Self>, DispatchError> {
        let _ = (group, reduce);
        Err(DispatchError::distributed_unsupported("CollectiveOps::all_reduce", &tensor.device()))
    }
}
