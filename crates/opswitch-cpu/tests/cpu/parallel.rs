//! Tensors large enough for all cores, and for every kind of loop.

use opswitch_core::{DType, Slice, ops::FloatOps};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

use super::{tensor, values};

const ROWS: usize = 1024;
const COLUMNS: usize = 300;

/// The matrix of i + 1000 j, as a function of row and column.
fn matrix() -> CpuTensor {
    tensor(
        (0..ROWS * COLUMNS).map(|at| at_matrix(at / COLUMNS, at % COLUMNS)).collect::<Vec<_>>(),
        [ROWS, COLUMNS],
    )
}

fn at_matrix(i: usize, j: usize) -> f64 {
    (i + 1000 * j) as f64
}

fn assert_is(x: &CpuTensor, rows: usize, columns: usize, f: impl Fn(usize, usize) -> f64) {
    let values = values::<f64>(x);
    assert_eq!(values.len(), rows * columns);
    for (at, &value) in values.iter().enumerate() {
        assert_eq!(value, f(at / columns, at % columns), "at {at}");
    }
}

#[test]
fn elementwise_loops_meet_every_element() {
    let row: Vec<f64> = (0..COLUMNS).map(|j| j as f64).collect();
    let column: Vec<f64> = (0..ROWS).map(|i| i as f64).collect();
    let (row, column) = (tensor(row, [COLUMNS]), tensor(column, [ROWS, 1]));
    let kept = matrix();
    assert_is(&Cpu::float_add(kept.clone(), row.clone()), ROWS, COLUMNS, |i, j| at_matrix(i, j) + j as f64);
    assert_is(&Cpu::float_sub(column.clone(), kept.clone()), ROWS, COLUMNS, |i, j| {
        i as f64 - at_matrix(i, j)
    });
    assert_is(&Cpu::float_mul(column.clone(), row.clone()), ROWS, COLUMNS, |i, j| (i * j) as f64);
    // In place.
    assert_is(&Cpu::float_add(matrix(), row), ROWS, COLUMNS, |i, j| at_matrix(i, j) + j as f64);
    assert_is(&Cpu::float_sub(column, matrix()), ROWS, COLUMNS, |i, j| i as f64 - at_matrix(i, j));
    assert_is(&Cpu::float_neg(matrix()), ROWS, COLUMNS, |i, j| -at_matrix(i, j));
    // Transposed, flipped and thinned.
    let transposed = Cpu::float_swap_dims(matrix(), 0, 1);
    assert_is(&transposed.clone().contiguous(), COLUMNS, ROWS, |j, i| at_matrix(i, j));
    let ones = Cpu::float_ones([COLUMNS, ROWS].into(), DType::F64, &CpuDevice);
    assert_is(&Cpu::float_add(transposed, ones), COLUMNS, ROWS, |j, i| at_matrix(i, j) + 1.0);
    let flipped = Cpu::float_flip(matrix(), &[0]);
    assert_is(&Cpu::float_square(flipped), ROWS, COLUMNS, |i, j| at_matrix(ROWS - 1 - i, j).powi(2));
    let thinned = Cpu::float_slice(matrix(), &[Slice::FULL, Slice::new(None, None, 2)]);
    let halved = Cpu::float_mul_scalar(thinned, 0.5);
    assert_is(&halved, ROWS, COLUMNS / 2, |i, j| at_matrix(i, 2 * j) / 2.0);
}

#[test]
fn masks_and_conversions_meet_every_element() {
    let far = || Cpu::float_ge_scalar(matrix(), 100_000.0);
    let filled = Cpu::float_mask_fill(matrix(), far(), -1.0);
    let clipped = |i, j| if at_matrix(i, j) >= 100_000.0 { -1.0 } else { at_matrix(i, j) };
    assert_is(&filled, ROWS, COLUMNS, clipped);
    let minus = tensor([-1f64], [1]);
    assert_is(&Cpu::float_mask_where(matrix(), far(), minus), ROWS, COLUMNS, clipped);
    let ints = Cpu::float_into_int(Cpu::float_swap_dims(matrix(), 0, 1), DType::I32);
    let back = <Cpu as opswitch_core::ops::IntOps>::int_into_float(ints, DType::F64);
    assert_is(&back, COLUMNS, ROWS, |j, i| at_matrix(i, j));
}

#[test]
fn reductions_meet_every_element() {
    let (last_row, last_column) = ((ROWS - 1) as f64, (COLUMNS - 1) as f64);
    let row_sum = |i: usize| COLUMNS as f64 * (i as f64 + 1000.0 * last_column / 2.0);
    assert_is(&Cpu::float_sum(matrix(), &[1], false), ROWS, 1, |i, _| row_sum(i));
    let column_sum = |j: usize| ROWS as f64 * (last_row / 2.0 + 1000.0 * j as f64);
    assert_is(&Cpu::float_sum(matrix(), &[0], false), 1, COLUMNS, |_, j| column_sum(j));
    let transposed = || Cpu::float_swap_dims(matrix(), 0, 1);
    assert_is(&Cpu::float_sum(transposed(), &[0], false), ROWS, 1, |i, _| row_sum(i));
    assert_is(&Cpu::float_max(matrix(), &[0], false), 1, COLUMNS, |_, j| last_row + 1000.0 * j as f64);
    assert_is(&Cpu::float_min(transposed(), &[0], false), 1, ROWS, |_, i| i as f64);
    let total = ROWS as f64 * COLUMNS as f64 * (last_row + 1000.0 * last_column) / 2.0;
    assert_is(&Cpu::float_sum(matrix(), &[0, 1], false), 1, 1, |_, _| total);
    let stack = Cpu::float_reshape(matrix(), [8, ROWS / 8, COLUMNS].into());
    let blocks = Cpu::float_sum(stack, &[1], false);
    let block_sum = |b: usize, j: usize| {
        let first = (b * ROWS / 8) as f64;
        (ROWS / 8) as f64 * (first + (ROWS / 8 - 1) as f64 / 2.0 + 1000.0 * j as f64)
    };
    assert_is(&blocks, 8, COLUMNS, block_sum);
    assert_eq!(values::<i64>(&Cpu::float_argmax(matrix(), 1, false)), vec![COLUMNS as i64 - 1; ROWS]);
    assert_eq!(values::<i64>(&Cpu::float_argmax(matrix(), 0, false)), vec![ROWS as i64 - 1; COLUMNS]);
}

#[test]
fn products_meet_every_element() {
    // A matrix times the one that reverses columns.
    let mut reversal = vec![0f64; COLUMNS * COLUMNS];
    for j in 0..COLUMNS {
        reversal[j * COLUMNS + COLUMNS - 1 - j] = 1.0;
    }
    let reversal = tensor(reversal, [COLUMNS, COLUMNS]);
    let reversed = |i, j| at_matrix(i, COLUMNS - 1 - j);
    assert_is(&Cpu::float_matmul(matrix(), reversal.clone()), ROWS, COLUMNS, reversed);
    let product = Cpu::float_matmul(reversal.clone(), Cpu::float_swap_dims(matrix(), 0, 1));
    assert_is(&product, COLUMNS, ROWS, |j, i| reversed(i, j));
    // Many small products, one side broadcast, in each of the ways that batches are laid out.
    let stack = || Cpu::float_reshape(matrix(), [ROWS * 50, 2, 3].into());
    let shift = tensor([0f64, 1., 0., 0., 0., 1., 1., 0., 0.], [3, 3]);
    let cycle = |product: &CpuTensor| {
        assert_is(product, ROWS * 100, 3, |row, j| {
            let at = row * 3 + (j + 2) % 3;
            at_matrix(at / COLUMNS, at % COLUMNS)
        });
    };
    cycle(&Cpu::float_matmul(stack(), shift.clone()));
    let repeated = Cpu::float_expand(shift.clone(), [ROWS * 50, 3, 3].into());
    cycle(&Cpu::float_matmul(stack(), repeated.clone()));
    cycle(&Cpu::float_matmul(stack(), repeated.contiguous()));
    // Flipped and expanded matrices cannot be walked by the product, which copies them.
    let flipped = Cpu::float_flip(matrix(), &[1]);
    assert_is(&Cpu::float_matmul(flipped, reversal), ROWS, COLUMNS, at_matrix);
    let ones = Cpu::float_expand(tensor([1f64], [1]), [COLUMNS, 2].into());
    let sums = Cpu::float_matmul(matrix(), ones);
    let row_sum = |i: usize| COLUMNS as f64 * (i as f64 + 1000.0 * (COLUMNS - 1) as f64 / 2.0);
    assert_is(&sums, ROWS, 2, |i, _| row_sum(i));
}

#[test]
fn indexed_reads_meet_every_element() {
    let backwards = || tensor((0..ROWS as i64).rev().collect::<Vec<_>>(), [ROWS]);
    let reversed = |i: usize, j| at_matrix(ROWS - 1 - i, j);
    assert_is(&Cpu::float_select(matrix(), 0, backwards()), ROWS, COLUMNS, reversed);
    let transposed = || Cpu::float_swap_dims(matrix(), 0, 1);
    assert_is(&Cpu::float_select(transposed(), 1, backwards()), COLUMNS, ROWS, |j, i| reversed(i, j));
    let every = || {
        let column = <Cpu as opswitch_core::ops::IntOps>::int_reshape(backwards(), [ROWS, 1].into());
        <Cpu as opswitch_core::ops::IntOps>::int_expand(column, [ROWS, COLUMNS].into())
    };
    assert_is(&Cpu::float_gather(matrix(), 0, every()), ROWS, COLUMNS, reversed);
    let sum = Cpu::float_scatter_add(matrix(), 0, every(), matrix());
    assert_is(&sum, ROWS, COLUMNS, |i, j| at_matrix(i, j) + reversed(i, j));
    let sum = Cpu::float_select_add(transposed(), 1, backwards(), transposed());
    assert_is(&sum, COLUMNS, ROWS, |j, i| at_matrix(i, j) + reversed(i, j));
}
