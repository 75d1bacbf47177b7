//! Ops whose bodies run on every backend.

use opswitch::{backend_extension, ops::CoreOps, BoolTensor, FloatTensor, TensorHandle};

/// Attention, and what trains it.
#[backend_extension(backends = any)]
pub trait FlashOps: CoreOps {
    /// `softmax(cap(queries · keysᵀ / √d))`, for `[n, d]` queries and `[m, d]` keys. Where the mask is false, the weight is 0.
    #[backward(default)]
    fn attention_weights(
        queries: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        mask: Option<BoolTensor<Self>>,
    ) -> FloatTensor<Self> {
        let width = queries.shape().dims()[1] as f64;
        let scores = Self::float_matmul(queries, Self::float_transpose(keys));
        let scores = Self::float_mul_scalar(scores, width.sqrt().recip());
        let scores = match mask {
            Some(mask) => Self::float_mask_fill(scores, Self::bool_not(mask), f64::NEG_INFINITY),
            None => scores,
        };
        Self::softmax(scores, 1)
    }

    /// `attention_weights(queries, keys, mask) · values`, of which the gradient keeps no weights: it computes them again.
    #[backward {
        let weights = B::attention_weights(queries, keys, mask);
        queries => {
            let width = queries.shape().dims()[1];
            B::float_matmul(score_gradient::<B>(weights.clone(), grad, values, width), keys)
        };
        keys => {
            let width = keys.shape().dims()[1];
            B::float_matmul(B::float_transpose(score_gradient::<B>(weights.clone(), grad, values, width)), queries)
        };
        values => B::float_matmul(B::float_transpose(weights.clone()), grad);
    }]
    fn attention(
        queries: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: Option<BoolTensor<Self>>,
    ) -> FloatTensor<Self> {
        Self::float_matmul(Self::attention_weights(queries, keys, mask), values)
    }

    /// The mean of `(prediction - target)²`, as a tensor of rank 0.
    #[backward {
        prediction => {
            let scale = 2.0 / prediction.shape().num_elements() as f64;
            B::float_mul(B::float_mul_scalar(B::float_sub(prediction, target), scale), grad)
        };
        target => none;
    }]
    fn squared_error(prediction: FloatTensor<Self>, target: FloatTensor<Self>) -> FloatTensor<Self> {
        let count = prediction.shape().num_elements();
        let squares = Self::float_square(Self::float_sub(prediction, target));
        let sum = Self::float_sum(Self::float_reshape(squares, [count].into()), &[0], false);
        Self::float_div_scalar(sum, count as f64)
    }

    /// A number within `limit` of zero: `limit · tanh(x / limit)`.
    #[cfg(feature = "softcap")]
    #[backward {
        x => {
            let part = B::float_square(B::float_div_scalar(output, limit));
            B::float_sub(grad.clone(), B::float_mul(grad, part))
        };
    }]
    fn cap(x: FloatTensor<Self>, limit: f64) -> FloatTensor<Self> {
        Self::float_mul_scalar(Self::float_tanh(Self::float_div_scalar(x, limit)), limit)
    }

    /// A number within `limit` of zero: cut off there.
    #[cfg(not(feature = "softcap"))]
    #[backward(default)]
    fn cap(x: FloatTensor<Self>, limit: f64) -> FloatTensor<Self> {
        Self::float_clamp_max(Self::float_clamp_min(x, -limit), limit)
    }
}

/// The gradient of `queries · keysᵀ`, from that of the weighted values: with the weights `P` and the gradient `G` of `P`, it
/// is `P ∘ (G - rowsum(G ∘ P)) / √d`.
fn score_gradient<B: CoreOps>(
    weights: FloatTensor<B>,
    grad: FloatTensor<B>,
    values: FloatTensor<B>,
    width: usize,
) -> FloatTensor<B> {
    let flow = B::float_mul(weights.clone(), B::float_matmul(grad, B::float_transpose(values)));
    let total = B::float_mul(weights, B::float_sum(flow.clone(), &[1], true));
    B::float_mul_scalar(B::float_sub(flow, total), (width as f64).sqrt().recip())
}
