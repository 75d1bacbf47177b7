//! Elements in order.

use opswitch_core::{Float, Int, TensorHandle, ops::FloatOps};

use super::{Tensor, dims::resolve_dim};

impl<const D: usize, B: FloatOps> Tensor<D, Float, B> {
    /// The elements along `dim` in ascending or descending order, and where they were. In both the first of equal elements comes
    /// first, and NaN counts as the greatest.
    ///
    /// ```
    /// use opswitch::Tensor;
    ///
    /// let x = Tensor::<1>::from_floats([2.0, 0.5, 2.0, 1.0], &Default::default());
    /// let (values, indices) = x.sort(0, true);
    /// assert_eq!(values.to_string(), "[2.  2.  1.  0.5]");
    /// assert_eq!(indices.to_string(), "[0 2 3 1]");
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn sort(self, dim: isize, descending: bool) -> (Self, Tensor<D, Int, B>) {
        let dim = resolve_dim("sort", &self.primitive.shape(), dim);
        let (values, indices) = B::float_sort(self.primitive, dim, descending);
        (Self::wrap(values), Tensor::wrap(indices))
    }

    /// Where the elements along `dim` are in ascending or descending order; see [`sort`](Self::sort).
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn argsort(self, dim: isize, descending: bool) -> Tensor<D, Int, B> {
        let dim = resolve_dim("argsort", &self.primitive.shape(), dim);
        Tensor::wrap(B::float_argsort(self.primitive, dim, descending))
    }

    /// The `k` greatest or least elements along `dim`, the most extreme first, and where they are; the first at a tie. NaN counts
    /// as the greatest.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, or less than `k` elements along it.
    #[track_caller]
    pub fn topk(self, k: usize, dim: isize, largest: bool) -> (Self, Tensor<D, Int, B>) {
        let dim = resolve_dim("topk", &self.primitive.shape(), dim);
        let (values, indices) = B::float_topk(self.primitive, k, dim, largest);
        (Self::wrap(values), Tensor::wrap(indices))
    }
}
