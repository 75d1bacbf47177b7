//! The neural-network ops that have kernels of their own.

use opswitch_core::{backend_extension, ops::NnOps};

use crate::{device::Cpu, element::for_float, reduce, tensor::CpuTensor};

#[backend_extension]
impl NnOps for Cpu {
    #[track_caller]
    fn softmax(x: CpuTensor, dim: usize) -> CpuTensor {
        for_float!("softmax", x.element_type(), |E| reduce::softmax::<E>("softmax", x, dim))
    }

    #[track_caller]
    fn log_softmax(x: CpuTensor, dim: usize) -> CpuTensor {
        for_float!("log_softmax", x.element_type(), |E| reduce::log_softmax::<E>("log_softmax", x, dim))
    }
}
