//! Methods of integer tensors.

use opswitch_core::{
    Bool, DType, Float, Int, TensorHandle,
    ops::{FloatOps, IntOps},
};

use super::{
    Tensor,
    dims::{all_dims, resolve_dim},
};

impl<const D: usize, B: IntOps> Tensor<D, Int, B> {
    /// `true` where an element is not 0.
    #[track_caller]
    pub fn bool(self) -> Tensor<D, Bool, B> {
        Tensor::wrap(B::int_into_bool(self.primitive))
    }

    /// The product of all elements, wrapping around; 1 over nothing.
    #[track_caller]
    pub fn prod(self) -> Tensor<0, Int, B> {
        Tensor::wrap(B::int_prod(self.primitive, &all_dims::<D>(), false))
    }

    /// The product along `dim`, whose extent becomes 1, wrapping around.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn prod_dim(self, dim: isize) -> Self {
        let dim = resolve_dim("prod_dim", &self.primitive.shape(), dim);
        Self::wrap(B::int_prod(self.primitive, &[dim], true))
    }

    /// The sums of the elements up to each, itself included, along `dim`, wrapping around.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn cumsum(self, dim: isize) -> Self {
        let dim = resolve_dim("cumsum", &self.primitive.shape(), dim);
        Self::wrap(B::int_cumsum(self.primitive, dim))
    }

    /// Whether an element is not 0; `false` over nothing.
    #[track_caller]
    pub fn any(self) -> Tensor<0, Bool, B> {
        Tensor::wrap(B::int_any(self.primitive, &all_dims::<D>(), false))
    }

    /// Whether an element along `dim`, whose extent becomes 1, is not 0.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn any_dim(self, dim: isize) -> Tensor<D, Bool, B> {
        let dim = resolve_dim("any_dim", &self.primitive.shape(), dim);
        Tensor::wrap(B::int_any(self.primitive, &[dim], true))
    }

    /// Whether no element is 0; `true` over nothing.
    #[track_caller]
    pub fn all(self) -> Tensor<0, Bool, B> {
        Tensor::wrap(B::int_all(self.primitive, &all_dims::<D>(), false))
    }

    /// Whether no element along `dim`, whose extent becomes 1, is 0.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn all_dim(self, dim: isize) -> Tensor<D, Bool, B> {
        let dim = resolve_dim("all_dim", &self.primitive.shape(), dim);
        Tensor::wrap(B::int_all(self.primitive, &[dim], true))
    }

    /// A new last dimension of `num_classes`, of the element type of this tensor: 1 at the index, 0 elsewhere.
    ///
    /// # Panics
    ///
    /// If `D2` is not `D + 1`, or, where the backend can see it, an index is out of range.
    #[track_caller]
    pub fn int_one_hot<const D2: usize>(self, num_classes: usize) -> Tensor<D2, Int, B> {
        let dtype = self.dtype();
        Tensor::from_result("int_one_hot", B::int_one_hot(self.primitive, num_classes, dtype))
    }
}

impl<const D: usize, B: FloatOps> Tensor<D, Int, B> {
    /// The elements as `f32`, rounded to nearest even.
    #[track_caller]
    pub fn float(self) -> Tensor<D, Float, B> {
        self.float_with_dtype(DType::F32)
    }

    /// The elements as this float type, rounded to nearest even.
    ///
    /// # Panics
    ///
    /// If `dtype` is no float type.
    #[track_caller]
    pub fn float_with_dtype(self, dtype: DType) -> Tensor<D, Float, B> {
        let dtype = Tensor::<D, Float, B>::check_dtype(dtype);
        Tensor::wrap(B::int_into_float(self.primitive, dtype))
    }

    /// A new last dimension of `num_classes`, as `f32`: 1 at the index, 0 elsewhere.
    ///
    /// # Panics
    ///
    /// If `D2` is not `D + 1`, or, where the backend can see it, an index is out of range.
    #[track_caller]
    pub fn one_hot<const D2: usize>(self, num_classes: usize) -> Tensor<D2, Float, B> {
        Tensor::from_result("one_hot", B::float_one_hot(self.primitive, num_classes, DType::F32))
    }
}
