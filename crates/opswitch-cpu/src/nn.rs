//! The neural-network ops that have kernels of their own.

use opswitch_core::{
    backend_extension,
    ops::{Convolution, NnOps, PoolWindows},
};

use crate::{conv, device::Cpu, element::for_float, pool, reduce, tensor::CpuTensor};

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

    #[track_caller]
    fn conv(x: CpuTensor, weight: CpuTensor, options: &Convolution) -> CpuTensor {
        conv::conv("conv", x, weight, options)
    }

    #[track_caller]
    fn conv_transpose(y: CpuTensor, weight: CpuTensor, options: &Convolution, size: &[usize]) -> CpuTensor {
        conv::conv_transpose("conv_transpose", y, weight, options, size)
    }

    #[track_caller]
    fn conv_weight(x: CpuTensor, y: CpuTensor, options: &Convolution, kernel: &[usize]) -> CpuTensor {
        conv::conv_weight("conv_weight", x, y, options, kernel)
    }

    #[track_caller]
    fn max_pool_index(x: CpuTensor, windows: &PoolWindows) -> CpuTensor {
        for_float!("max_pool_index", x.element_type(), |E| pool::max_pool_index::<E>(
            "max_pool_index",
            x,
            windows
        ))
    }
}
