//! The op that the hidden layers use, declared once for every backend.

use opswitch::{
    DType, FloatTensor, ShapeError, TensorHandle, backend_extension,
    ops::{CoreOps, FloatOps},
    shape,
};

/// A matrix product that goes straight on into a bias and a `ReLU`.
#[backend_extension(dispatch = opswitch::Dispatch)]
pub(crate) trait FusedOps: CoreOps {
    /// max(lhs rhs + bias, 0), for the matrices `lhs` of shape `[m, k]` and `rhs` of shape `[k, n]`, and a `bias` of shape
    /// `[n]` that is added to each row.
    ///
    /// # Panics
    ///
    /// If the shapes or the element types do not fit.
    #[backward {
        let masked = B::relu_backward(output, grad);
        lhs  => B::float_matmul(masked.clone(), B::float_transpose(rhs));
        rhs  => B::float_matmul(B::float_transpose(lhs), masked.clone());
        bias => B::float_sum_to(masked, bias.shape());
    }]
    fn matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self>;
}

/// The op's name in the texts of errors.
pub(crate) const OP: &str = "FusedOps::matmul_add_relu";

/// The rows, inner extent and columns of the product, if the shapes fit.
pub(crate) fn product_shape<T: TensorHandle>(
    lhs: &T,
    rhs: &T,
    bias: Option<&T>,
) -> Result<[usize; 3], ShapeError> {
    let (lhs, rhs) = (lhs.shape(), rhs.shape());
    if lhs.rank() != 2 || rhs.rank() != 2 {
        return Err(ShapeError::pair(OP, &lhs, &rhs, "both sides are matrices"));
    }
    let product = shape::matmul(OP, &lhs, &rhs)?;
    match bias.map(TensorHandle::shape) {
        Some(bias) if bias.dims() != [product[1]] => Err(ShapeError::pair(
            OP,
            &product,
            &bias,
            "the bias has one element for each column of the product",
        )),
        _ => Ok([product[0], lhs[1], product[1]]),
    }
}

/// The element type, if all agree.
pub(crate) fn common_dtype<T: TensorHandle>(lhs: &T, rhs: &T, bias: Option<&T>) -> Option<DType> {
    let dtype = lhs.dtype();
    (rhs.dtype() == dtype && bias.is_none_or(|bias| bias.dtype() == dtype)).then_some(dtype)
}

/// The built-in ops one after another: for types without a kernel here, and for mixed types, which they refuse with a
/// clear text.
#[track_caller]
pub(crate) fn unfused<B: FloatOps>(
    lhs: FloatTensor<B>,
    rhs: FloatTensor<B>,
    bias: Option<FloatTensor<B>>,
) -> FloatTensor<B> {
    let product = B::float_matmul(lhs, rhs);
    B::relu(match bias {
        Some(bias) => B::float_add(product, bias),
        None => product,
    })
}
