//! The op's kernel for CubeCL.

use cubecl::prelude::*;
use opswitch::{DType, OrRaise, TensorHandle};
use opswitch_cube::{Cube, CubeTensor};

use crate::fused::{FusedOps, OP, common_dtype, product_shape, unfused};

/// Rows and columns of the tile that a cube computes, one element a unit.
const TILE: usize = 16;

impl FusedOps for Cube {
    #[track_caller]
    fn matmul_add_relu(lhs: CubeTensor, rhs: CubeTensor, bias: Option<CubeTensor>) -> CubeTensor {
        let [rows, inner, columns] = product_shape(&lhs, &rhs, bias.as_ref()).or_raise();
        if common_dtype(&lhs, &rhs, bias.as_ref()) != Some(DType::F32) || inner == 0 {
            return unfused::<Self>(lhs, rhs, bias);
        }
        let has_bias = bias.is_some();
        let (lhs, rhs) = (lhs.contiguous(), rhs.contiguous());
        // Something must be bound, and is not read.
        let bias = bias.map_or_else(|| rhs.clone(), CubeTensor::contiguous);
        let (shape, device) = ([rows, columns].into(), lhs.device());
        CubeTensor::compute(OP, [&lhs, &rhs, &bias], shape, DType::F32, device, |client, result| {
            matmul_add_relu::launch(
                client,
                CubeCount::new_2d(columns.div_ceil(TILE) as u32, rows.div_ceil(TILE) as u32),
                CubeDim::new_2d(TILE as u32, TILE as u32),
                lhs.buffer(),
                rhs.buffer(),
                bias.buffer(),
                result.buffer(),
                inner,
                columns,
                has_bias,
            );
        })
    }
}

/// max(lhs rhs + bias, 0) for row-major matrices. The units of a cube share tiles of both sides.
#[cube(launch)]
fn matmul_add_relu(
    lhs: &[f32],
    rhs: &[f32],
    bias: &[f32],
    result: &mut [f32],
    inner: usize,
    columns: usize,
    #[comptime] has_bias: bool,
) {
    let (row, column) = (ABSOLUTE_POS_Y as usize, ABSOLUTE_POS_X as usize);
    let (y, x) = (UNIT_POS_Y as usize, UNIT_POS_X as usize);
    let rows = lhs.len() / inner;
    let mut left = Shared::<[f32]>::new_slice(TILE * TILE);
    let mut right = Shared::<[f32]>::new_slice(TILE * TILE);
    let mut sum = 0f32;
    for tile in 0..inner.div_ceil(TILE) {
        let (left_column, right_row) = (tile * TILE + x, tile * TILE + y);
        left[y * TILE + x] =
            if row < rows && left_column < inner { lhs[row * inner + left_column] } else { 0f32 };
        right[y * TILE + x] =
            if right_row < inner && column < columns { rhs[right_row * columns + column] } else { 0f32 };
        sync_cube();
        for i in 0..TILE {
            sum += left[y * TILE + i] * right[i * TILE + x];
        }
        sync_cube();
    }
    if row < rows && column < columns {
        if has_bias {
            sum += bias[column];
        }
        // NaN is not negative: it stays.
        result[row * columns + column] = if sum < 0f32 { 0f32 } else { sum };
    }
}
