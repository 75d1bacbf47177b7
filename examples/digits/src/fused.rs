//! The op that the hidden layers use, declared once for every backend.

use opswitch::{FloatTensor, backend_extension, ops::CoreOps};

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
