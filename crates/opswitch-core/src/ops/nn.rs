//! Neural-network ops.

use opswitch_macros::backend_extension;

use super::{AttentionMask, formulas};
use crate::{
    autodiff::AutodiffOps,
    backend::{FloatTensor, IntTensor},
    ops::FloatOps,
};

/// What is made of the losses of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// One loss a sample.
    None,
    /// Their mean over the samples that count.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

/// How [`NnOps::cross_entropy`] weighs its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossEntropy {
    /// What is made of the losses of the samples.
    pub reduction: Reduction,
    /// A class whose samples do not count.
    pub ignore_index: Option<i64>,
    /// The share of the target that is spread evenly over all classes, in `0.0..=1.0`.
    pub label_smoothing: f64,
}

/// Normalisations, losses, attention and what else layers are made of.
///
/// # Panics
///
/// Every op panics with a [`ShapeError`](crate::ShapeError) text, at the caller's line, if shapes or dimensions do not fit.
#[backend_extension(crate = crate)]
pub trait NnOps: FloatOps + AutodiffOps {
    /// e<sup>x</sup> / Σ e<sup>x</sup> along `dim`, without overflow.
    #[backward {
        x => formulas::softmax_backward::<B>(output, grad, dim);
    }]
    fn softmax(x: FloatTensor<Self>, dim: usize) -> FloatTensor<Self>;

    /// The logarithm of [`softmax`](Self::softmax), exact where that is close to 0.
    #[backward {
        x => formulas::log_softmax_backward::<B>(output, grad, dim);
    }]
    fn log_softmax(x: FloatTensor<Self>, dim: usize) -> FloatTensor<Self>;

    /// The cross-entropy between the softmax of `logits` over dimension 1 and the class indices of `target`, whose shape is
    /// that of `logits` without dimension 1.
    ///
    /// With `label_smoothing` s and C classes the loss of a sample is -(1 - s) ln p<sub>target</sub> - s/C Σ ln p
    /// (Szegedy et al. 2015). The mean is over the samples that are not ignored.
    #[backward(default)]
    fn cross_entropy(
        logits: FloatTensor<Self>,
        target: IntTensor<Self>,
        options: CrossEntropy,
    ) -> FloatTensor<Self> {
        formulas::cross_entropy::<Self>(logits, target, options)
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias over the last `normalized_dims` dimensions, with the variance of
    /// correction 0 (Ba, Kiros and Hinton 2016). `weight` and `bias` have the shape of these dimensions.
    ///
    /// A large mean beside a small variance costs no precision, and elements of 16 bits are normalised in `f32`.
    ///
    /// # Panics
    ///
    /// Also if no dimension is normalised, or more than there are.
    #[backward {
        let (normal, factor) = formulas::layer_normal::<B>(x, normalized_dims, eps);
        x => formulas::layer_norm_backward::<B>((normal.clone(), factor), weight, grad, normalized_dims);
        weight => formulas::norm_weight_backward::<B>(normal, grad, weight.shape());
        bias => B::float_sum_to(grad, bias.shape());
    }]
    fn layer_norm(
        x: FloatTensor<Self>,
        weight: Option<FloatTensor<Self>>,
        bias: Option<FloatTensor<Self>>,
        normalized_dims: usize,
        eps: f64,
    ) -> FloatTensor<Self> {
        formulas::layer_norm::<Self>(x, weight, bias, normalized_dims, eps)
    }

    /// x / sqrt(mean(x²) + eps) * weight over the last `normalized_dims` dimensions, of which `weight` has the shape (Zhang
    /// and Sennrich 2019). Elements of 16 bits are normalised in `f32`.
    ///
    /// # Panics
    ///
    /// Also if no dimension is normalised, or more than there are.
    #[backward {
        let (normal, factor) = formulas::rms_normal::<B>(x, normalized_dims, eps);
        x => formulas::rms_norm_backward::<B>((normal.clone(), factor), weight, grad, normalized_dims);
        weight => formulas::norm_weight_backward::<B>(normal, grad, weight.shape());
    }]
    fn rms_norm(
        x: FloatTensor<Self>,
        weight: Option<FloatTensor<Self>>,
        normalized_dims: usize,
        eps: f64,
    ) -> FloatTensor<Self> {
        formulas::rms_norm::<Self>(x, weight, normalized_dims, eps)
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias, with mean and variance of a group of neighbouring channels and of all
    /// that lies behind them (Wu and He 2018). Channels are dimension 1, in `num_groups` groups of equal size; `weight` and
    /// `bias` have one element a channel.
    ///
    /// # Panics
    ///
    /// Also if the channels cannot be divided into the groups.
    #[backward(default)]
    fn group_norm(
        x: FloatTensor<Self>,
        weight: Option<FloatTensor<Self>>,
        bias: Option<FloatTensor<Self>>,
        num_groups: usize,
        eps: f64,
    ) -> FloatTensor<Self> {
        formulas::group_norm::<Self>(x, weight, bias, num_groups, eps)
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias for each channel, which is dimension 1 (Ioffe and Szegedy 2015). The
    /// result, the running mean and the running variance.
    ///
    /// In training, mean and variance are those of the batch, the variance with correction 0, and a running statistic
    /// becomes `(1 - momentum) * old + momentum * new`, the new variance with correction 1; a batch without elements leaves
    /// them as they are. Else mean and variance are the running ones, which stay. Running statistics carry no gradient,
    /// neither in nor out.
    ///
    /// # Panics
    ///
    /// Also if a channel has one element in training.
    #[allow(clippy::too_many_arguments, reason = "they are those of the layer everywhere")]
    #[backward(default)]
    fn batch_norm(
        x: FloatTensor<Self>,
        weight: Option<FloatTensor<Self>>,
        bias: Option<FloatTensor<Self>>,
        running_mean: FloatTensor<Self>,
        running_var: FloatTensor<Self>,
        training: bool,
        momentum: f64,
        eps: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let running = formulas::Running { mean: running_mean, var: running_var };
        formulas::batch_norm::<Self>(x, [weight, bias], running, training, momentum, eps)
    }

    /// (input - target)², reduced.
    #[backward(default)]
    fn mse(input: FloatTensor<Self>, target: FloatTensor<Self>, reduction: Reduction) -> FloatTensor<Self> {
        formulas::mse::<Self>(input, target, reduction)
    }

    /// -t ln sigmoid(x) - (1 - t) ln(1 - sigmoid(x)) for logits x and targets t in `0.0..=1.0`, reduced. Computed as
    /// max(x, 0) - x t + ln(1 + e<sup>-|x|</sup>), which overflows for no x.
    #[backward {
        logits => formulas::binary_cross_entropy_logits::<B>(logits, target, grad, reduction);
        target => formulas::binary_cross_entropy_target::<B>(logits, grad, reduction);
    }]
    fn binary_cross_entropy_with_logits(
        logits: FloatTensor<Self>,
        target: FloatTensor<Self>,
        reduction: Reduction,
    ) -> FloatTensor<Self> {
        formulas::binary_cross_entropy::<Self>(logits, target, reduction)
    }

    /// The rows of the matrix `weight` with these indices, along a new last dimension. A row that stands in several places
    /// has the sum of their gradients.
    ///
    /// # Panics
    ///
    /// Also if `weight` is no matrix or, where the backend can see it, an index is out of range.
    #[backward {
        weight => formulas::embedding_backward::<B>(weight.shape(), indices, grad);
    }]
    fn embedding(weight: FloatTensor<Self>, indices: IntTensor<Self>) -> FloatTensor<Self> {
        formulas::embedding::<Self>(weight, indices)
    }

    /// `x` with each element replaced by 0 with this probability, and the others divided by 1 - probability, so that the
    /// expected value stays (Srivastava et al. 2014). The choice comes from the device's generator; see
    /// [`float_seed`](FloatOps::float_seed). The gradient passes where the element did.
    ///
    /// # Panics
    ///
    /// With an [`OpError`](crate::OpError) text if the probability is not in `0.0..=1.0`.
    #[backward(default)]
    fn dropout(x: FloatTensor<Self>, probability: f64) -> FloatTensor<Self> {
        formulas::dropout::<Self>(x, probability)
    }

    /// softmax(scale query keyᵀ + mask) value (Vaswani et al. 2017), over the last two dimensions of `[.., queries, width]`,
    /// `[.., keys, width]` and `[.., keys, value width]`; those before broadcast.
    ///
    /// The scale is 1 / sqrt(width) unless it is given. With `causal`, query i sees keys 0 to i, however many of each there
    /// are, and with a mask as well it sees what both allow. A query that its mask lets see no key has the result 0.
    ///
    /// # Panics
    ///
    /// Also if the mask does not expand to `[.., queries, keys]`.
    #[backward(default)]
    fn scaled_dot_product_attention(
        query: FloatTensor<Self>,
        key: FloatTensor<Self>,
        value: FloatTensor<Self>,
        mask: Option<AttentionMask<Self>>,
        causal: bool,
        scale: Option<f64>,
    ) -> FloatTensor<Self> {
        formulas::attention::<Self>(query, key, value, mask, causal, scale)
    }
}
