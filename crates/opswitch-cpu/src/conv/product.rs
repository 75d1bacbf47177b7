//! Products of matrices that lie anywhere in slices.

use gemm::{Parallelism, gemm};

use crate::element::Real;

/// A matrix in a slice, from its first element on.
#[derive(Clone, Copy)]
pub(super) struct Matrix<V> {
    values: V,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<V> Matrix<V> {
    /// A matrix whose rows are `row_stride` apart.
    pub(super) fn new(values: V, rows: usize, columns: usize, row_stride: usize) -> Self {
        Self { values, rows, columns, row_stride, column_stride: 1 }
    }

    /// The matrix with rows and columns exchanged.
    pub(super) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    /// How long a slice is that the matrix, which has elements, lies in.
    fn reach(&self) -> usize {
        (self.rows - 1) * self.row_stride + (self.columns - 1) * self.column_stride + 1
    }
}

/// `result` = `lhs` `rhs`, or that added to it.
pub(super) fn multiply<E: Real>(
    result: Matrix<&mut [E]>,
    lhs: Matrix<&[E]>,
    rhs: Matrix<&[E]>,
    add: bool,
    parallelism: Parallelism,
) {
    let (rows, columns, inner) = (result.rows, result.columns, lhs.columns);
    assert_eq!((lhs.rows, rhs.rows, rhs.columns), (rows, inner, columns), "the extents fit");
    assert!(rows > 0 && columns > 0 && inner > 0, "the matrices have elements");
    assert!(result.reach() <= result.values.len(), "the result lies inside its slice");
    assert!(
        lhs.reach() <= lhs.values.len() && rhs.reach() <= rhs.values.len(),
        "both sides lie inside theirs"
    );
    // SAFETY: all three matrices have elements and lie inside their slices, and that of the result is borrowed alone.
    unsafe {
        gemm(
            rows,
            columns,
            inner,
            result.values.as_mut_ptr(),
            result.column_stride as isize,
            result.row_stride as isize,
            add,
            lhs.values.as_ptr(),
            lhs.column_stride as isize,
            lhs.row_stride as isize,
            rhs.values.as_ptr(),
            rhs.column_stride as isize,
            rhs.row_stride as isize,
            E::ONE,
            E::ONE,
            false,
            false,
            false,
            parallelism,
        );
    }
}
