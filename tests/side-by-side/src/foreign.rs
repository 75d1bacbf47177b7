//! An op of this app on the dispatch of another one.
//!
//! That dispatch lists a backend under the feature `npu`, which is off there. This app has a feature `npu` too, and it is
//! on: the condition is one of the crate that lists the backend. Decided here, it would route to a backend that is not there.

use opswitch::{FloatTensor, TensorHandle, backend_extension, ops::CoreOps};
use opswitch_cpu::Cpu;

/// Numbers of elements.
#[backend_extension(dispatch = app::Dispatch)]
#[backward(none)]
pub trait CountOps: CoreOps {
    /// How many elements are positive, as a float of rank 0.
    fn count_positive(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let (dtype, dims) = (x.dtype(), (0..x.shape().rank()).collect::<Vec<_>>());
        Self::float_sum(Self::bool_into_float(Self::float_gt_scalar(x, 0.0), dtype), &dims, false)
    }
}

impl CountOps for Cpu {}
// For a build in which that app has its feature on.
impl CountOps for acme_npu::Npu {}

#[cfg(test)]
mod tests {
    use app::{Dispatch, DispatchDevice, Tensor};

    use super::CountOps;

    #[test]
    fn on_the_devices_of_that_app() {
        assert!(!DispatchDevice::enumerate().is_empty());
        for device in DispatchDevice::enumerate() {
            for device in [device.autodiff(), device] {
                let x = Tensor::<1>::from_floats([1.0, -1.0, 2.0], &device);
                let count = Tensor::<0>::from_primitive(Dispatch::count_positive(x.into_primitive()));
                assert_eq!(count.into_scalar::<f32>().expect("no device fails"), 2.0);
            }
        }
    }
}
