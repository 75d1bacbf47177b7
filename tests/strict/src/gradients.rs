//! Every kind of gradient.

use opswitch::{DispatchError, FloatTensor, IntTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;

use crate::{derives::Ray, dispatches::Full};

/// Ops with gradients.
#[backend_extension(dispatch = Full)]
pub trait GradientOps: FloatOps {
    /// Formulas that read inputs, the output and metadata, with statements that they share, and an option.
    #[backward {
        let masked = B::relu_backward(output, grad);
        lhs => B::float_matmul(masked.clone(), B::float_transpose(rhs));
        rhs => B::float_matmul(B::float_transpose(lhs), masked.clone());
        bias => B::float_sum_to(masked, bias.shape());
    }]
    fn fused(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self> {
        let product = Self::float_matmul(lhs, rhs);
        Self::relu(match bias {
            Some(bias) => Self::float_add(product, bias),
            None => product,
        })
    }

    /// A list, and a plain argument that the formula reads.
    #[backward {
        tensors => tensors.shapes().iter().map(|_| B::float_mul_scalar(grad.clone(), scale)).collect();
        first => B::float_mul_scalar(grad, scale);
    }]
    fn sum_of(tensors: Vec<FloatTensor<Self>>, first: FloatTensor<Self>, scale: f64) -> FloatTensor<Self>
    where
        Self: Sized;

    /// A struct.
    #[backward { ray => Ray(B::float_mul_scalar(grad, 2.0), ray.1, ray.2); }]
    fn doubled(ray: Ray<Self>) -> FloatTensor<Self> {
        Self::float_mul_scalar(ray.0, 2.0)
    }

    /// Several outputs, an input without a gradient, and one that is no float.
    ///
    /// # Errors
    ///
    /// If a tensor is elsewhere.
    #[backward {
        x => B::float_add(grads.0, grads.1);
        weight => none;
    }]
    fn several(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        index: &IntTensor<Self>,
    ) -> Result<(FloatTensor<Self>, FloatTensor<Self>), DispatchError> {
        drop(weight);
        drop(index.clone());
        Ok((x.clone(), x))
    }

    /// Cheaper to compute again than to keep.
    #[op(memory_bound)]
    #[backward { x => B::float_mul(grad, output); }]
    fn exp(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_exp(x)
    }

    /// Asynchronous.
    ///
    /// # Errors
    ///
    /// If a tensor is elsewhere.
    #[allow(async_fn_in_trait)]
    #[backward { x => grad; }]
    async fn later(x: FloatTensor<Self>) -> Result<FloatTensor<Self>, DispatchError> {
        Ok(x)
    }

    /// Through the ops of the body.
    #[must_use]
    #[backward(default)]
    fn composed(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_exp(Self::float_neg(x))
    }

    /// None.
    #[deprecated = "to see that generated code does not warn"]
    #[backward(none)]
    fn rounded(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_round(x)
    }
}

impl GradientOps for Cpu {
    fn sum_of(tensors: Vec<FloatTensor<Self>>, first: FloatTensor<Self>, scale: f64) -> FloatTensor<Self> {
        let sum = tensors.into_iter().fold(first, Self::float_add);
        Self::float_mul_scalar(sum, scale)
    }
}
