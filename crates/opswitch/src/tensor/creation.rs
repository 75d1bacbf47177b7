//! New tensors.

use std::ops::Range;

use opswitch_core::{
    Backend, Bool, DType, DataError, Device, Element, Float, Int, OrRaise, TensorData, TensorKind,
    ops::{BoolOps, Distribution, FloatOps, IntOps},
    raise,
};

use super::{KindOps, NumericOps, Scalar, Tensor};

/// A nested array of `D` levels, up to five: `[[1.0, 2.0], [3.0, 4.0]]` has two.
pub trait NestedArray<const D: usize>: Sized {
    /// The type of the innermost elements.
    type Element: Element;

    /// The extents, outermost first, and the elements in row-major order.
    fn into_parts(self) -> ([usize; D], Vec<Self::Element>);
}

impl<E: Element, const N: usize> NestedArray<1> for [E; N] {
    type Element = E;

    fn into_parts(self) -> ([usize; 1], Vec<E>) {
        ([N], self.into())
    }
}

macro_rules! nested_array {
    ($depth:literal: $($outer:ident)* / $inner:ty, $($extent:ident)*) => {
        impl<E: Element, $(const $extent: usize),*> NestedArray<$depth> for $inner {
            type Element = E;

            fn into_parts(self) -> ([usize; $depth], Vec<E>) {
                ([$($extent),*], self$(.$outer())*.to_vec())
            }
        }
    };
}

nested_array!(2: as_flattened / [[E; P]; Q], Q P);
nested_array!(3: as_flattened as_flattened / [[[E; P]; Q]; R], R Q P);
nested_array!(4: as_flattened as_flattened as_flattened / [[[[E; P]; Q]; R]; S], S R Q P);
nested_array!(5: as_flattened as_flattened as_flattened as_flattened / [[[[[E; P]; Q]; R]; S]; T], T S R Q P);

impl<const D: usize, K: TensorKind, B: Backend> Tensor<D, K, B> {
    /// A tensor with these elements in row-major order, which keep their type.
    ///
    /// # Panics
    ///
    /// If the number of elements is not that of the shape, or the backend has no tensors of kind `K` with this element
    /// type.
    #[track_caller]
    pub fn from_values<E: Element>(values: impl Into<Vec<E>>, shape: [usize; D], device: &Device<B>) -> Self {
        Self::from_data(TensorData::new(values.into(), shape).or_raise(), device)
    }

    #[track_caller]
    fn from_array<A: NestedArray<D>>(array: A, device: &Device<B>) -> Self {
        let (shape, values) = array.into_parts();
        Self::from_values(values, shape, device)
    }
}

impl<const D: usize, K: KindOps<B>, B: Backend> Tensor<D, K, B> {
    /// A tensor of the default type, `f32`, the ints of the device or `bool`, in which every element is `value`.
    #[track_caller]
    pub fn full(shape: [usize; D], value: impl Scalar<K>, device: &Device<B>) -> Self {
        Self::full_with_dtype(shape, value, K::default_dtype::<B>(device), device)
    }

    /// A tensor of this element type in which every element is `value`, rounded or wrapped to it.
    ///
    /// # Panics
    ///
    /// If tensors of kind `K` cannot have this element type.
    #[track_caller]
    pub fn full_with_dtype(
        shape: [usize; D],
        value: impl Scalar<K>,
        dtype: DType,
        device: &Device<B>,
    ) -> Self {
        Self::wrap(K::full(shape.into(), value.to_scalar(), Self::check_dtype(dtype), device))
    }

    /// The element type, if tensors of kind `K` can have it.
    #[track_caller]
    pub(super) fn check_dtype(dtype: DType) -> DType {
        if !K::holds(dtype) {
            raise(&DataError::Unsupported { backend: B::NAME, kind: K::NAME, dtype })
        }
        dtype
    }
}

impl<const D: usize, K: NumericOps<B>, B: Backend> Tensor<D, K, B> {
    /// Zeros of the default type, `f32` or the ints of the device.
    ///
    /// ```
    /// use opswitch::Tensor;
    ///
    /// let x = Tensor::<2>::zeros([2, 3], &Default::default());
    /// assert_eq!(x.to_string(), "[[0. 0. 0.]\n [0. 0. 0.]]");
    /// ```
    #[track_caller]
    pub fn zeros(shape: [usize; D], device: &Device<B>) -> Self {
        Self::zeros_with_dtype(shape, K::default_dtype::<B>(device), device)
    }

    /// Zeros of this element type.
    ///
    /// # Panics
    ///
    /// If tensors of this kind cannot have this element type.
    #[track_caller]
    pub fn zeros_with_dtype(shape: [usize; D], dtype: DType, device: &Device<B>) -> Self {
        Self::wrap(K::zeros(shape.into(), Self::check_dtype(dtype), device))
    }

    /// Ones of the default type, `f32` or the ints of the device.
    #[track_caller]
    pub fn ones(shape: [usize; D], device: &Device<B>) -> Self {
        Self::ones_with_dtype(shape, K::default_dtype::<B>(device), device)
    }

    /// Ones of this element type.
    ///
    /// # Panics
    ///
    /// If tensors of this kind cannot have this element type.
    #[track_caller]
    pub fn ones_with_dtype(shape: [usize; D], dtype: DType, device: &Device<B>) -> Self {
        Self::wrap(K::ones(shape.into(), Self::check_dtype(dtype), device))
    }

    /// Zeros with the shape, element type and device of this tensor.
    #[track_caller]
    pub fn zeros_like(&self) -> Self {
        Self::zeros_with_dtype(self.shape(), self.dtype(), &self.device())
    }

    /// Ones with the shape, element type and device of this tensor.
    #[track_caller]
    pub fn ones_like(&self) -> Self {
        Self::ones_with_dtype(self.shape(), self.dtype(), &self.device())
    }
}

impl<const D: usize, B: FloatOps> Tensor<D, Float, B> {
    /// A tensor of `f32` from nested arrays.
    #[track_caller]
    pub fn from_floats<A: NestedArray<D, Element = f32>>(array: A, device: &Device<B>) -> Self {
        Self::from_array(array, device)
    }

    /// Random `f32` elements from the device's generator; see [`seed`](Self::seed).
    #[track_caller]
    pub fn random(shape: [usize; D], distribution: Distribution, device: &Device<B>) -> Self {
        Self::random_with_dtype(shape, distribution, DType::F32, device)
    }

    /// Random elements of this type from the device's generator; see [`seed`](Self::seed).
    ///
    /// # Panics
    ///
    /// If tensors of this kind cannot have this element type.
    #[track_caller]
    pub fn random_with_dtype(
        shape: [usize; D],
        distribution: Distribution,
        dtype: DType,
        device: &Device<B>,
    ) -> Self {
        Self::wrap(B::float_random(shape.into(), distribution, Self::check_dtype(dtype), device))
    }

    /// Starts the device's generator anew. The same seed gives the same sequence on the same backend.
    pub fn seed(seed: u64, device: &Device<B>) {
        B::float_seed(seed, device);
    }
}

impl<const D: usize, B: IntOps> Tensor<D, Int, B> {
    /// A tensor from nested arrays, in the ints of the device: `i64`, unless it has none.
    ///
    /// # Panics
    ///
    /// If those cannot hold an element.
    #[track_caller]
    pub fn from_ints<A: NestedArray<D, Element = i64>>(array: A, device: &Device<B>) -> Self {
        let (shape, values) = array.into_parts();
        let data = TensorData::new(values, shape).and_then(|data| data.cast_exact(B::int_dtype(device)));
        Self::from_data(data.or_raise(), device)
    }
}

impl<B: IntOps> Tensor<1, Int, B> {
    /// The numbers of a range, in the ints of the device.
    #[track_caller]
    pub fn arange(range: Range<i64>, device: &Device<B>) -> Self {
        Self::arange_step(range.start, range.end, 1, device)
    }

    /// The numbers `start, start + step, ..` up to but without `end`, in the ints of the device. A negative step counts down.
    ///
    /// # Panics
    ///
    /// If `step` is 0.
    #[track_caller]
    pub fn arange_step(start: i64, end: i64, step: i64, device: &Device<B>) -> Self {
        Self::wrap(B::int_arange(start, end, step, B::int_dtype(device), device))
    }
}

impl<const D: usize, B: BoolOps> Tensor<D, Bool, B> {
    /// A tensor from nested arrays of `bool`.
    #[track_caller]
    pub fn from_bools<A: NestedArray<D, Element = bool>>(array: A, device: &Device<B>) -> Self {
        Self::from_array(array, device)
    }
}
