//! Reading, adding and choosing by indices and masks.

use opswitch_core::{Backend, Bool, Int, TensorHandle};

use super::{KindOps, NumericOps, Scalar, Tensor, dims::resolve_dim};

impl<const D: usize, K: KindOps<B>, B: Backend> Tensor<D, K, B> {
    /// For each position of `index`, the element with that index in dimension `dim`.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, `index` has another extent in another dimension, or, where the backend can see it,
    /// an index is out of range.
    #[track_caller]
    pub fn gather(self, dim: isize, index: Tensor<D, Int, B>) -> Self {
        let dim = resolve_dim("gather", &self.primitive.shape(), dim);
        Self::wrap(K::gather(self.primitive, dim, index.primitive))
    }

    /// The slices along `dim` with the indices of `index`.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, or, where the backend can see it, an index is out of range.
    #[track_caller]
    pub fn select(self, dim: isize, index: Tensor<1, Int, B>) -> Self {
        let dim = resolve_dim("select", &self.primitive.shape(), dim);
        Self::wrap(K::select(self.primitive, dim, index.primitive))
    }

    /// `value` where the mask is `true`, this tensor elsewhere; all three broadcast.
    #[track_caller]
    pub fn mask_where(self, mask: Tensor<D, Bool, B>, value: Self) -> Self {
        Self::wrap(K::mask_where(self.primitive, mask.primitive, value.primitive))
    }

    /// The scalar `value` where the mask is `true`, this tensor elsewhere; the mask broadcasts with this tensor.
    #[track_caller]
    pub fn mask_fill(self, mask: Tensor<D, Bool, B>, value: impl Scalar<K>) -> Self {
        Self::wrap(K::mask_fill(self.primitive, mask.primitive, value.to_scalar()))
    }
}

impl<const D: usize, K: NumericOps<B>, B: Backend> Tensor<D, K, B> {
    /// This tensor with each element of `src` added, ints wrapping around, where [`gather`](Self::gather) would read.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, shapes do not fit, or, where the backend can see it, an index is out of range.
    #[track_caller]
    pub fn scatter_add(self, dim: isize, index: Tensor<D, Int, B>, src: Self) -> Self {
        let dim = resolve_dim("scatter_add", &self.primitive.shape(), dim);
        Self::wrap(K::scatter_add(self.primitive, dim, index.primitive, src.primitive))
    }

    /// This tensor with each slice of `src` added, ints wrapping around, where [`select`](Self::select) would read.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, shapes do not fit, or, where the backend can see it, an index is out of range.
    #[track_caller]
    pub fn select_add(self, dim: isize, index: Tensor<1, Int, B>, src: Self) -> Self {
        let dim = resolve_dim("select_add", &self.primitive.shape(), dim);
        Self::wrap(K::select_add(self.primitive, dim, index.primitive, src.primitive))
    }
}
