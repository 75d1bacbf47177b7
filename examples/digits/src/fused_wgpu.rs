//! The op's kernel for wgpu, in WGSL.

use opswitch::{DType, OrRaise};
use opswitch_wgpu::{Kernel, Launch, Wgpu, WgpuTensor};

use crate::fused::{FusedOps, OP, common_dtype, product_shape, unfused};

static KERNEL: Kernel = Kernel::new("matmul_add_relu", include_str!("matmul_add_relu.wgsl"));

/// Rows and columns of the tile that a workgroup computes.
const TILE: usize = 16;

impl FusedOps for Wgpu {
    #[track_caller]
    fn matmul_add_relu(lhs: WgpuTensor, rhs: WgpuTensor, bias: Option<WgpuTensor>) -> WgpuTensor {
        let [rows, inner, columns] = product_shape(&lhs, &rhs, bias.as_ref()).or_raise();
        if common_dtype(&lhs, &rhs, bias.as_ref()) != Some(DType::F32) {
            return unfused::<Self>(lhs, rhs, bias);
        }
        let result = lhs.new_output(OP, [rows, columns], DType::F32);
        Launch::new(OP, &KERNEL)
            .input(&lhs)
            .input(&rhs)
            // Something must be bound, and is not read.
            .input(bias.as_ref().unwrap_or(&rhs))
            .output(&result)
            .params(&[rows as u32, inner as u32, columns as u32, u32::from(bias.is_some())])
            .dispatch([columns.div_ceil(TILE) as u32, rows.div_ceil(TILE) as u32, 1]);
        result
    }
}
