//! The exponential family: `log_sum_exp`, `softmax` and `log_softmax`, each one kernel.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{
    DType, OrRaise, check_type,
    layout::{Blocks, StridedTensor, movement},
    ops::{FloatOps, staged_log_softmax, staged_log_sum_exp},
    shape::check_dim,
};

use super::{
    blocks::over_dims,
    cubes::{combine, grid, lane, lanes, result_pos, share},
    fold::Fold,
    key::{from_key, is_special, to_key},
};
use crate::{backend::Cube, create, element::elem_type, launch::MAX_STEPS, math::ln, tensor::CubeTensor};

/// What is made of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Output {
    Softmax,
    LogSoftmax,
    LogSumExp,
}

/// A row is what lies along the middle one of three dimensions. Half types are computed in `f32`.
#[cube(launch_unchecked)]
fn softmax_kernel<F: Float>(
    x: &[F],
    y: &mut [F],
    rows: u32,
    reduced: u32,
    inner: u32,
    #[comptime] output: Output,
    #[comptime] lanes: u32,
    #[define(F)] _elem: ElemType,
) {
    let row = result_pos(lanes);
    let first = row / inner * reduced * inner + row % inner;
    let start = lane(lanes);
    let end = select(row < rows, reduced, 0);
    let mut greatest = i32::MIN.runtime();
    let mut i = start;
    while i < end {
        greatest = max(greatest, to_key(f32::cast_from(x[(first + i * inner) as usize]), i32::MAX));
        i += lanes;
    }
    let greatest = combine::<i32>(greatest, Fold::Greatest, lanes);
    let shift = from_key(greatest);
    let mut total = 0.0f32.runtime();
    let mut i = start;
    while i < end {
        total += (f32::cast_from(x[(first + i * inner) as usize]) - shift).exp();
        i += lanes;
    }
    let total = combine::<f32>(total, Fold::Sum, lanes);
    if comptime!(output == Output::LogSumExp) {
        if row < rows && start == 0 {
            // An infinite maximum is the result, and would make NaN of the differences.
            let sum = if is_special(greatest) { shift } else { shift + ln(total) };
            y[row as usize] = F::cast_from(sum);
        }
    } else {
        let log_total = ln(total);
        let mut i = start;
        while i < end {
            let at = (first + i * inner) as usize;
            let shifted = f32::cast_from(x[at]) - shift;
            let value = if comptime!(output == Output::Softmax) {
                shifted.exp() / total
            } else {
                shifted - log_total
            };
            y[at] = F::cast_from(value);
            i += lanes;
        }
    }
}

/// ln Σ e<sup>x</sup> over `dims`.
#[track_caller]
pub(crate) fn log_sum_exp(op: &'static str, x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
    check_type(op, "a float type", x.element_type(), DType::is_float);
    over_dims(op, x, dims, keep_dims, |x, blocks| {
        if 2 * share(&x, blocks) > MAX_STEPS {
            let x = movement::reshape(op, x, blocks.shape());
            return staged_log_sum_exp::<Cube>(x, &[1], true);
        }
        if blocks.reduced == 0 {
            let shape = blocks.results();
            return create::constant(op, [&x], shape, f32::NEG_INFINITY, x.element_type(), x.on());
        }
        CubeTensor::compute(op, [&x], blocks.results(), x.element_type(), x.on(), |client, y| {
            launch(client, &x, y, blocks, Output::LogSumExp);
        })
    })
}

/// e<sup>x</sup> / Σ e<sup>x</sup> along `dim`.
#[track_caller]
pub(crate) fn softmax(op: &'static str, x: CubeTensor, dim: usize) -> CubeTensor {
    map_rows(op, x, dim, Output::Softmax)
}

/// ln(softmax(x)) along `dim`.
#[track_caller]
pub(crate) fn log_softmax(op: &'static str, x: CubeTensor, dim: usize) -> CubeTensor {
    map_rows(op, x, dim, Output::LogSoftmax)
}

#[track_caller]
fn map_rows(op: &'static str, x: CubeTensor, dim: usize, output: Output) -> CubeTensor {
    check_type(op, "a float type", x.element_type(), DType::is_float);
    let shape = x.layout().shape().clone();
    check_dim(op, &shape, dim).or_raise();
    let blocks = Blocks::along(&shape, dim);
    if 3 * share(&x, blocks) > MAX_STEPS {
        let logarithm = staged_log_softmax::<Cube>(x, dim);
        return if output == Output::Softmax { Cube::float_exp(logarithm) } else { logarithm };
    }
    let x = x.into_contiguous(op);
    CubeTensor::compute(op, [&x], shape, x.element_type(), x.on(), |client, y| {
        launch(client, &x, y, blocks, output);
    })
}

fn launch(client: &Client, x: &CubeTensor, y: &CubeTensor, blocks: Blocks, output: Output) {
    let lanes = lanes(client, blocks);
    let (count, dim) = grid(client, blocks.num_results(), lanes);
    // SAFETY: the kernel reads the `outer * reduced * inner` elements of `x`, and writes as many, or one a row, which is what
    // `y` holds.
    unsafe {
        softmax_kernel::launch_unchecked(
            client,
            count,
            dim,
            x.buffer(),
            y.buffer(),
            blocks.num_results() as u32,
            blocks.reduced as u32,
            blocks.inner as u32,
            output,
            lanes,
            elem_type(x.element_type()),
        );
    }
}
