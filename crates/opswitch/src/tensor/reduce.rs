//! Reductions that floats have and ints do not.

use opswitch_core::{Float, Int, TensorHandle, ops::FloatOps};

use super::{
    Tensor,
    dims::{all_dims, resolve_dim, resolve_dims},
};

impl<const D: usize, B: FloatOps> Tensor<D, Float, B> {
    /// The arithmetic mean of all elements; NaN over nothing.
    #[track_caller]
    pub fn mean(self) -> Tensor<0, Float, B> {
        Tensor::wrap(B::float_mean(self.primitive, &all_dims::<D>(), false))
    }

    /// The arithmetic mean along `dim`, whose extent becomes 1.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn mean_dim(self, dim: isize) -> Self {
        self.mean_dims([dim])
    }

    /// The arithmetic mean along several dimensions, whose extents become 1.
    ///
    /// # Panics
    ///
    /// If a dimension does not exist, or is given twice.
    #[track_caller]
    pub fn mean_dims<const N: usize>(self, dims: [isize; N]) -> Self {
        let dims = resolve_dims("mean_dims", &self.primitive.shape(), &dims);
        Self::wrap(B::float_mean(self.primitive, &dims, true))
    }

    /// The variance of all elements: the mean of squared deviations, with `count - correction` in the denominator.
    #[track_caller]
    pub fn var(self, correction: usize) -> Tensor<0, Float, B> {
        Tensor::wrap(B::float_var(self.primitive, &all_dims::<D>(), false, correction))
    }

    /// The variance along `dim`, whose extent becomes 1; see [`var`](Self::var).
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn var_dim(self, dim: isize, correction: usize) -> Self {
        let dim = resolve_dim("var_dim", &self.primitive.shape(), dim);
        Self::wrap(B::float_var(self.primitive, &[dim], true, correction))
    }

    /// ln Σ e<sup>x</sup> over all elements, without overflow.
    #[track_caller]
    pub fn log_sum_exp(self) -> Tensor<0, Float, B> {
        Tensor::wrap(B::float_log_sum_exp(self.primitive, &all_dims::<D>(), false))
    }

    /// ln Σ e<sup>x</sup> along `dim`, whose extent becomes 1, without overflow.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn log_sum_exp_dim(self, dim: isize) -> Self {
        let dim = resolve_dim("log_sum_exp_dim", &self.primitive.shape(), dim);
        Self::wrap(B::float_log_sum_exp(self.primitive, &[dim], true))
    }

    /// The greatest element along `dim`, whose extent becomes 1, and where it is: the first at a tie, which has the gradient.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, or nothing along it.
    #[track_caller]
    pub fn max_dim_with_indices(self, dim: isize) -> (Self, Tensor<D, Int, B>) {
        let dim = resolve_dim("max_dim_with_indices", &self.primitive.shape(), dim);
        let (values, indices) = B::float_max_dim(self.primitive, dim, true);
        (Self::wrap(values), Tensor::wrap(indices))
    }

    /// The least element along `dim`, whose extent becomes 1, and where it is: the first at a tie, which has the gradient.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, or nothing along it.
    #[track_caller]
    pub fn min_dim_with_indices(self, dim: isize) -> (Self, Tensor<D, Int, B>) {
        let dim = resolve_dim("min_dim_with_indices", &self.primitive.shape(), dim);
        let (values, indices) = B::float_min_dim(self.primitive, dim, true);
        (Self::wrap(values), Tensor::wrap(indices))
    }
}
