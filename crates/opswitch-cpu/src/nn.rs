//! The neural-network ops that have kernels of their own.

use opswitch_core::{
    OrRaise, backend_extension,
    layout::movement,
    ops::{Convolution, NnOps, PoolWindows},
    shape::check_embedding,
};

use crate::{
    conv,
    device::Cpu,
    element::for_float,
    index, pool,
    reduce::{self, Center},
    tensor::CpuTensor,
};

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
    fn layer_norm(
        x: CpuTensor,
        weight: Option<CpuTensor>,
        bias: Option<CpuTensor>,
        normalized_dims: usize,
        eps: f64,
    ) -> CpuTensor {
        for_float!("layer_norm", x.element_type(), |E| reduce::norm::<E>(
            "layer_norm",
            x,
            [weight, bias],
            normalized_dims,
            (Center::Mean, eps)
        ))
    }

    #[track_caller]
    fn rms_norm(x: CpuTensor, weight: Option<CpuTensor>, normalized_dims: usize, eps: f64) -> CpuTensor {
        for_float!("rms_norm", x.element_type(), |E| reduce::norm::<E>(
            "rms_norm",
            x,
            [weight, None],
            normalized_dims,
            (Center::Zero, eps)
        ))
    }

    #[track_caller]
    fn embedding(weight: CpuTensor, indices: CpuTensor) -> CpuTensor {
        let op = "embedding";
        let shape = check_embedding(op, weight.layout().shape(), indices.layout().shape()).or_raise();
        let count = indices.layout().num_elements();
        let flat = movement::reshape(op, indices, [count].into());
        let rows = for_float!(op, weight.element_type(), |E| index::select::<E>(op, &weight, 0, &flat));
        movement::reshape(op, rows, shape)
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
