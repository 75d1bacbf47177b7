//! The neural-network ops that have kernels of their own.

use opswitch_core::{DType, backend_extension, check_type, ops::NnOps};

use crate::{backend::Cube, reduce, tensor::CubeTensor};

#[backend_extension]
impl NnOps for Cube {
    #[track_caller]
    fn softmax(x: CubeTensor, dim: usize) -> CubeTensor {
        check_type("softmax", "a float type", x.element_type(), DType::is_float);
        reduce::softmax("softmax", x, dim)
    }

    #[track_caller]
    fn log_softmax(x: CubeTensor, dim: usize) -> CubeTensor {
        check_type("log_softmax", "a float type", x.element_type(), DType::is_float);
        reduce::log_softmax("log_softmax", x, dim)
    }
}
