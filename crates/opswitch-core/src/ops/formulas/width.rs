//! Elements of 16 bits in `f32`, for what is rounded once at its end, such as sums.

use crate::{
    backend::{FloatTensor, TensorHandle},
    dtype::DType,
    ops::FloatOps,
};

/// `x` in `f32`, if its elements are narrower.
pub(super) fn wide<B: FloatOps>(x: FloatTensor<B>) -> FloatTensor<B> {
    match x.dtype() {
        DType::F16 | DType::BF16 => B::float_cast(x, DType::F32),
        _ => x,
    }
}

/// What has been computed of [`wide`] elements, in the type that they had.
pub(super) fn narrow<B: FloatOps>(x: FloatTensor<B>, dtype: DType) -> FloatTensor<B> {
    if x.dtype() == dtype { x } else { B::float_cast(x, dtype) }
}

/// What `body` makes of `x` in `f32`, if its elements are narrower.
pub(in crate::ops) fn in_wide<B: FloatOps>(
    x: FloatTensor<B>,
    body: impl FnOnce(FloatTensor<B>) -> FloatTensor<B>,
) -> FloatTensor<B> {
    let dtype = x.dtype();
    narrow::<B>(body(wide::<B>(x)), dtype)
}
