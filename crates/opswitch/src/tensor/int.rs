//! Methods of integer tensors.

use opswitch_core::{
    Bool, DType, Float, Int,
    ops::{FloatOps, IntOps},
};

use super::Tensor;

impl<const D: usize, B: IntOps> Tensor<D, Int, B> {
    /// `true` where an element is not 0.
    #[track_caller]
    pub fn bool(self) -> Tensor<D, Bool, B> {
        Tensor::wrap(B::int_into_bool(self.primitive))
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
