//! The ops that are misused, each in three forms: one that cannot fail, one that returns our error, and one
//! that returns an error of its own.

use opswitch::{
    Backend, Device, DispatchError, ExtensionType, FloatTensor, IntTensor, backend_extension,
    extend_dispatch, ops::FloatOps,
};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, PlainDispatch, TestDispatch};

/// An error that can be made from ours.
#[derive(Debug)]
pub(super) enum ProbeError {
    Dispatch(DispatchError),
    #[expect(dead_code, reason = "an error of an op has cases of its own")]
    TooDark,
}

impl From<DispatchError> for ProbeError {
    fn from(error: DispatchError) -> Self {
        Self::Dispatch(error)
    }
}

/// An error that knows nothing of ours.
#[derive(Debug)]
pub(super) struct Unrelated;

/// A struct of tensors.
#[derive(Clone, Debug, ExtensionType)]
pub(super) struct Camera<B: Backend> {
    pub(super) position: FloatTensor<B>,
    pub(super) pixels: (usize, IntTensor<B>),
}

#[backend_extension]
#[backward(none)]
pub(super) trait ProbeOps: FloatOps {
    fn sum(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_add(lhs, rhs)
    }

    fn try_sum(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> Result<FloatTensor<Self>, DispatchError> {
        Ok(Self::float_add(lhs, rhs))
    }

    fn checked_sum(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> Result<FloatTensor<Self>, ProbeError> {
        Ok(Self::float_add(lhs, rhs))
    }

    fn stubborn_sum(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> Result<FloatTensor<Self>, Unrelated> {
        Ok(Self::float_add(lhs, rhs))
    }

    async fn later_sum(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
    ) -> Result<FloatTensor<Self>, ProbeError> {
        Ok(Self::float_add(lhs, rhs))
    }

    fn count(first: Option<FloatTensor<Self>>, others: Vec<IntTensor<Self>>) -> usize {
        usize::from(first.is_some()) + others.len()
    }

    fn try_count(
        first: Option<FloatTensor<Self>>,
        others: Vec<IntTensor<Self>>,
    ) -> Result<usize, DispatchError> {
        Ok(Self::count(first, others))
    }

    fn checked_count(
        first: Option<FloatTensor<Self>>,
        others: Vec<IntTensor<Self>>,
    ) -> Result<usize, ProbeError> {
        Ok(Self::count(first, others))
    }

    fn meet(devices: &[Device<Self>], guest: Option<Device<Self>>) -> usize {
        devices.len() + usize::from(guest.is_some())
    }

    fn try_meet(devices: &[Device<Self>], guest: Option<Device<Self>>) -> Result<usize, DispatchError> {
        Ok(Self::meet(devices, guest))
    }

    fn checked_meet(devices: &[Device<Self>], guest: Option<Device<Self>>) -> Result<usize, ProbeError> {
        Ok(Self::meet(devices, guest))
    }

    /// Takes a tensor in every way in which one can be taken.
    #[expect(clippy::too_many_arguments, reason = "one for each way")]
    fn everywhere(
        by_value: FloatTensor<Self>,
        optional: Option<FloatTensor<Self>>,
        tensors: Vec<FloatTensor<Self>>,
        array: [FloatTensor<Self>; 2],
        pair: (usize, IntTensor<Self>),
        boxed: Box<FloatTensor<Self>>,
        nested: Vec<(Option<FloatTensor<Self>>, FloatTensor<Self>)>,
        borrowed: &FloatTensor<Self>,
        slice: &[FloatTensor<Self>],
        camera: Camera<Self>,
        r#type: IntTensor<Self>,
    ) -> Result<(), DispatchError> {
        let _ = (by_value, optional, tensors, array, pair, boxed, nested, borrowed, slice, camera, r#type);
        Ok(())
    }
}

impl ProbeOps for Cpu {}
impl ProbeOps for Npu {}

extend_dispatch!(TestDispatch: ProbeOps);
extend_dispatch!(PlainDispatch: ProbeOps);
