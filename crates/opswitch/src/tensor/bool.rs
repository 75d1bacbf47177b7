//! Methods of boolean tensors.

use opswitch_core::{
    Bool, DType, Float, Int, TensorHandle,
    ops::{BoolOps, FloatOps, IntOps},
};

use super::{
    Tensor,
    dims::{all_dims, resolve_dim},
};

impl<const D: usize, B: BoolOps> Tensor<D, Bool, B> {
    /// Whether an element is `true`; `false` over nothing.
    #[track_caller]
    pub fn any(self) -> Tensor<0, Bool, B> {
        Tensor::wrap(B::bool_any(self.primitive, &all_dims::<D>(), false))
    }

    /// Whether an element along `dim`, whose extent becomes 1, is `true`.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn any_dim(self, dim: isize) -> Self {
        let dim = resolve_dim("any_dim", &self.primitive.shape(), dim);
        Self::wrap(B::bool_any(self.primitive, &[dim], true))
    }

    /// Whether every element is `true`; `true` over nothing.
    #[track_caller]
    pub fn all(self) -> Tensor<0, Bool, B> {
        Tensor::wrap(B::bool_all(self.primitive, &all_dims::<D>(), false))
    }

    /// Whether every element along `dim`, whose extent becomes 1, is `true`.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn all_dim(self, dim: isize) -> Self {
        let dim = resolve_dim("all_dim", &self.primitive.shape(), dim);
        Self::wrap(B::bool_all(self.primitive, &[dim], true))
    }
}

impl<const D: usize, B: IntOps> Tensor<D, Bool, B> {
    /// 1 where an element is `true`, 0 elsewhere, as ints of the device.
    #[track_caller]
    pub fn int(self) -> Tensor<D, Int, B> {
        let dtype = B::int_dtype(&self.device());
        self.int_with_dtype(dtype)
    }

    /// 1 where an element is `true`, 0 elsewhere, as this integer type.
    ///
    /// # Panics
    ///
    /// If `dtype` is no integer type.
    #[track_caller]
    pub fn int_with_dtype(self, dtype: DType) -> Tensor<D, Int, B> {
        Tensor::wrap(B::bool_into_int(self.primitive, Tensor::<D, Int, B>::check_dtype(dtype)))
    }
}

impl<const D: usize, B: FloatOps> Tensor<D, Bool, B> {
    /// 1 where an element is `true`, 0 elsewhere, as `f32`.
    #[track_caller]
    pub fn float(self) -> Tensor<D, Float, B> {
        self.float_with_dtype(DType::F32)
    }

    /// 1 where an element is `true`, 0 elsewhere, as this float type.
    ///
    /// # Panics
    ///
    /// If `dtype` is no float type.
    #[track_caller]
    pub fn float_with_dtype(self, dtype: DType) -> Tensor<D, Float, B> {
        Tensor::wrap(B::bool_into_float(self.primitive, Tensor::<D, Float, B>::check_dtype(dtype)))
    }
}
