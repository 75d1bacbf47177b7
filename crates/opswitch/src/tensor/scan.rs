//! Products, norms, and what accumulates along a dimension.

use opswitch_core::{
    Float, TensorHandle,
    ops::{FloatOps, Norm},
};

use super::{
    Tensor,
    dims::{all_dims, resolve_dim, resolve_dims},
};

impl<const D: usize, B: FloatOps> Tensor<D, Float, B> {
    /// The product of all elements; 1 over nothing. Its gradient is right with any number of zeros.
    #[track_caller]
    pub fn prod(self) -> Tensor<0, Float, B> {
        Tensor::wrap(B::float_prod(self.primitive, &all_dims::<D>(), false))
    }

    /// The product along `dim`, whose extent becomes 1.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn prod_dim(self, dim: isize) -> Self {
        let dim = resolve_dim("prod_dim", &self.primitive.shape(), dim);
        Self::wrap(B::float_prod(self.primitive, &[dim], true))
    }

    /// The product along several dimensions, whose extents become 1.
    ///
    /// # Panics
    ///
    /// If a dimension does not exist, or is given twice.
    #[track_caller]
    pub fn prod_dims<const N: usize>(self, dims: [isize; N]) -> Self {
        let dims = resolve_dims("prod_dims", &self.primitive.shape(), &dims);
        Self::wrap(B::float_prod(self.primitive, &dims, true))
    }

    /// For each element along `dim`, the sum of those up to it.
    ///
    /// ```
    /// use opswitch::Tensor;
    ///
    /// let x = Tensor::<1>::from_floats([1.0, 2.0, 4.0], &Default::default());
    /// assert_eq!(x.cumsum(0).to_string(), "[1. 3. 7.]");
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn cumsum(self, dim: isize) -> Self {
        let dim = resolve_dim("cumsum", &self.primitive.shape(), dim);
        Self::wrap(B::float_cumsum(self.primitive, dim))
    }

    /// For each element along `dim`, the product of those up to it. Its gradient is right with any number of zeros.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn cumprod(self, dim: isize) -> Self {
        let dim = resolve_dim("cumprod", &self.primitive.shape(), dim);
        Self::wrap(B::float_cumprod(self.primitive, dim))
    }

    /// The norm of all elements; 0 over nothing. Its gradient at zero is 0.
    ///
    /// ```
    /// use opswitch::{Tensor, ops::Norm};
    ///
    /// let x = Tensor::<1>::from_floats([3.0, -4.0], &Default::default());
    /// assert_eq!(x.clone().norm(Norm::L2).to_string(), "5.0");
    /// assert_eq!(x.norm(Norm::L1).to_string(), "7.0");
    /// ```
    ///
    /// # Panics
    ///
    /// If `p` is [`Norm::Infinity`] and there are no elements.
    #[track_caller]
    pub fn norm(self, p: Norm) -> Tensor<0, Float, B> {
        Tensor::wrap(B::float_norm(self.primitive, &all_dims::<D>(), false, p))
    }

    /// The norm along `dim`, whose extent becomes 1; see [`norm`](Self::norm).
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, or nothing along it and `p` is [`Norm::Infinity`].
    #[track_caller]
    pub fn norm_dim(self, dim: isize, p: Norm) -> Self {
        self.norm_dims([dim], p)
    }

    /// The norm along several dimensions, whose extents become 1; see [`norm`](Self::norm).
    ///
    /// # Panics
    ///
    /// If a dimension does not exist, or is given twice, or if there is nothing along them and `p` is [`Norm::Infinity`].
    #[track_caller]
    pub fn norm_dims<const N: usize>(self, dims: [isize; N], p: Norm) -> Self {
        let dims = resolve_dims("norm_dims", &self.primitive.shape(), &dims);
        Self::wrap(B::float_norm(self.primitive, &dims, true, p))
    }
}
