//! Matrix products, by the `gemm` crate.

use std::mem::MaybeUninit;

use gemm::{Parallelism, gemm};
use opswitch_core::{
    DType, Element, OrRaise, Shape, check_same_type, check_type,
    layout::{Layout, StridedTensor, place},
    shape::matmul as product_shape,
};

use crate::{elementwise::cast, parallel, plan::Plan, tensor::CpuTensor};

/// Multiplications from which one product runs on all cores.
pub(crate) const PARALLEL_PRODUCT: usize = 1 << 18;

/// The matrix product over the last two dimensions, the others broadcast.
#[track_caller]
pub(crate) fn matmul(op: &'static str, lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
    check_type(op, "a float type", lhs.element_type(), DType::is_float);
    check_same_type(op, &lhs, &rhs);
    let shape = product_shape(op, lhs.layout().shape(), rhs.layout().shape()).or_raise();
    match lhs.element_type() {
        DType::F64 => product::<f64>(lhs, rhs, shape),
        DType::F32 => product::<f32>(lhs, rhs, shape),
        // Through f32, since sums in a half type would round at every block.
        half => cast(product::<f32>(cast(lhs, DType::F32), cast(rhs, DType::F32), shape), half),
    }
}

/// An element type that `gemm` multiplies.
trait Multiply: Element {
    const ONE: Self;
}

impl Multiply for f64 {
    const ONE: Self = 1.0;
}

impl Multiply for f32 {
    const ONE: Self = 1.0;
}

fn product<E: Multiply>(lhs: CpuTensor, rhs: CpuTensor, shape: Shape) -> CpuTensor {
    let lhs = with_usable_strides(as_matrices(lhs, 0));
    let rhs = with_usable_strides(as_matrices(rhs, 1));
    let (left, right) = (lhs.layout(), rhs.layout());
    let (left_rank, right_rank) = (left.shape().rank(), right.shape().rank());
    let inner = left.shape()[left_rank - 1];
    let columns = right.shape()[right_rank - 1];
    let len = shape.num_elements();
    if len == 0 || inner == 0 {
        return CpuTensor::new(vec![E::default(); len], shape);
    }
    let (batches, rows, row_stride) = split_rows(&lhs, &rhs);
    let column_stride = left.strides()[left_rank - 1];
    let left = Side { values: lhs.values::<E>(), row_stride, column_stride };
    let (row_stride, column_stride) = (right.strides()[right_rank - 2], right.strides()[right_rank - 1]);
    let right = Side { values: rhs.values::<E>(), row_stride, column_stride };
    let mut results = Vec::with_capacity(len);
    Product { batches, rows, inner, columns, lhs: left, rhs: right }
        .compute(&mut results.spare_capacity_mut()[..len]);
    // SAFETY: each product writes all elements of its matrix, and the matrices cover the first `len` elements.
    unsafe { results.set_len(len) };
    CpuTensor::new(results, shape)
}

/// A vector as a stack of one matrix, with its new dimension at `position`.
fn as_matrices(x: CpuTensor, position: usize) -> CpuTensor {
    if x.layout().shape().rank() > 1 {
        return x;
    }
    let extent = x.layout().shape()[0];
    let shape = if position == 0 { [1, extent] } else { [extent, 1] };
    let layout = x.layout().reshape(shape.into()).expect("an extent of 1 needs no stride");
    x.with_layout(layout)
}

/// `gemm` walks any positive strides; expanded and flipped matrices are copied.
fn with_usable_strides(x: CpuTensor) -> CpuTensor {
    let rank = x.layout().shape().rank();
    let last_two = x.layout().shape()[rank - 2..].iter().zip(&x.strides()[rank - 2..]);
    let usable = last_two.into_iter().all(|(&extent, &stride)| extent == 1 || stride > 0);
    if usable { x } else { x.contiguous() }
}

/// The loops over batches, and the rows of each product with their stride on the left. Batches that the left side
/// lays out as more rows, and the right side repeats, become rows: one large product is faster than many small ones.
fn split_rows(lhs: &CpuTensor, rhs: &CpuTensor) -> (Plan<2>, usize, isize) {
    let (left, right) = (lhs.layout(), rhs.layout());
    let batch_rank = left.shape().rank().max(right.shape().rank()) - 2;
    let mut plan = Plan::without_loops([left.offset(), right.offset()]);
    for dim in 0..batch_rank {
        let (left, right) = (batch_dim(left, batch_rank, dim), batch_dim(right, batch_rank, dim));
        plan.push(left.0.max(right.0), [left.1, right.1]);
    }
    let row_dim = left.shape().rank() - 2;
    plan.push(left.shape()[row_dim], [left.strides()[row_dim], 0]);
    match plan.pop() {
        Some((rows, [stride, 0])) if stride > 0 => (plan, rows, stride),
        Some((extent, strides)) => {
            plan.push(extent, strides);
            (plan, 1, 1)
        }
        None => (plan, 1, 1),
    }
}

/// Extent and stride of batch dimension `dim` of `rank` that a stack of matrices broadcasts to.
fn batch_dim(layout: &Layout, rank: usize, dim: usize) -> (usize, isize) {
    match (dim + layout.shape().rank() - 2).checked_sub(rank) {
        Some(own) if layout.shape()[own] != 1 => (layout.shape()[own], layout.strides()[own]),
        _ => (1, 0),
    }
}

/// A stack of products, one after another in `results`.
struct Product<'a, E> {
    batches: Plan<2>,
    rows: usize,
    inner: usize,
    columns: usize,
    lhs: Side<'a, E>,
    rhs: Side<'a, E>,
}

/// The matrices of one side.
struct Side<'a, E> {
    values: &'a [E],
    row_stride: isize,
    column_stride: isize,
}

impl<E: Multiply> Product<'_, E> {
    fn compute(&self, results: &mut [MaybeUninit<E>]) {
        let size = self.rows * self.columns;
        let work = size.saturating_mul(self.inner);
        if results.len() == size || work >= PARALLEL_PRODUCT {
            let parallelism =
                if work >= PARALLEL_PRODUCT { Parallelism::Rayon(0) } else { Parallelism::None };
            return self.compute_from(0, results, parallelism);
        }
        // A multiplication in a product is cheaper than the unit of work by about this factor.
        parallel::for_chunks(results, size, self.inner.div_ceil(4), |first, chunk| {
            self.compute_from(first / size, chunk, Parallelism::None);
        });
    }

    /// The products from batch `first` on.
    fn compute_from(&self, first: usize, results: &mut [MaybeUninit<E>], parallelism: Parallelism) {
        let size = self.rows * self.columns;
        let count = results.len() / size;
        let mut results = results.chunks_exact_mut(size);
        self.batches.runs(first..first + count, |len, [lhs, rhs]| {
            let [by_lhs, by_rhs] = self.batches.inner_strides();
            for (i, result) in results.by_ref().take(len).enumerate() {
                self.compute_one(place(lhs, i, by_lhs), place(rhs, i, by_rhs), result, parallelism);
            }
        });
    }

    fn compute_one(
        &self,
        lhs_start: usize,
        rhs_start: usize,
        result: &mut [MaybeUninit<E>],
        parallelism: Parallelism,
    ) {
        let Self { rows, inner, columns, lhs, rhs, .. } = self;
        assert_eq!(result.len(), rows * columns);
        let left = lhs.from(lhs_start, *rows, *inner);
        let right = rhs.from(rhs_start, *inner, *columns);
        // SAFETY: the result has `rows * columns` elements, row-major, and is borrowed alone; they are written without being
        // read first. `from` has checked that every element of either matrix lies in its slice.
        unsafe {
            gemm(
                *rows,
                *columns,
                *inner,
                result.as_mut_ptr().cast::<E>(),
                1,
                *columns as isize,
                false,
                left.as_ptr(),
                lhs.column_stride,
                lhs.row_stride,
                right.as_ptr(),
                rhs.column_stride,
                rhs.row_stride,
                E::default(),
                E::ONE,
                false,
                false,
                false,
                parallelism,
            );
        }
    }
}

impl<E> Side<'_, E> {
    /// The elements from the first of a matrix that starts at `start` and ends inside the slice.
    fn from(&self, start: usize, rows: usize, columns: usize) -> &[E] {
        let last = place(place(start, rows - 1, self.row_stride), columns - 1, self.column_stride);
        assert!(start <= last && last < self.values.len(), "a matrix lies inside its vector");
        &self.values[start..]
    }
}
