//! The neural-network ops that have kernels of their own.

use opswitch_core::{backend_extension, ops::NnOps};

use crate::{device::Wgpu, float::check_float, reduce, tensor::WgpuTensor};

#[backend_extension]
impl NnOps for Wgpu {
    #[track_caller]
    fn softmax(x: WgpuTensor, dim: usize) -> WgpuTensor {
        check_float("softmax", x.element_type());
        reduce::softmax("softmax", &x, dim)
    }

    #[track_caller]
    fn log_softmax(x: WgpuTensor, dim: usize) -> WgpuTensor {
        check_float("log_softmax", x.element_type());
        reduce::log_softmax("log_softmax", &x, dim)
    }
}
