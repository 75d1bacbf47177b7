//! Normalisations, losses, attention and what else layers are made of.

use opswitch_core::{
    Backend, Bool, Float, Int, ShapeError, TensorHandle,
    ops::{AttentionMask, CrossEntropy, NnOps, Reduction},
    raise,
};

use super::{Scalar, Tensor, dims::resolve_dim};

impl<const D: usize, B: NnOps> Tensor<D, Float, B> {
    /// e<sup>x</sup> / Σ e<sup>x</sup> along `dim`, without overflow.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn softmax(self, dim: isize) -> Self {
        let dim = resolve_dim("softmax", &self.primitive.shape(), dim);
        Self::wrap(B::softmax(self.primitive, dim))
    }

    /// The logarithm of [`softmax`](Self::softmax), exact where that is close to 0.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    #[track_caller]
    pub fn log_softmax(self, dim: isize) -> Self {
        let dim = resolve_dim("log_softmax", &self.primitive.shape(), dim);
        Self::wrap(B::log_softmax(self.primitive, dim))
    }

    /// The cross-entropy between the softmax of these logits over dimension 1 and class indices, as their mean or sum; see
    /// [`NnOps::cross_entropy`].
    ///
    /// # Panics
    ///
    /// If the shape of `target` is not that of the logits without dimension 1, or the options ask for no reduction, which
    /// is [`cross_entropy_losses`](Self::cross_entropy_losses).
    #[track_caller]
    pub fn cross_entropy<const T: usize>(
        self,
        target: Tensor<T, Int, B>,
        options: CrossEntropy,
    ) -> Tensor<0, Float, B> {
        self.check_reduced("cross_entropy", options.reduction, "`cross_entropy_losses`");
        Tensor::wrap(B::cross_entropy(self.primitive, target.primitive, options))
    }

    /// The cross-entropy of each sample, 0 where its class is ignored; see [`cross_entropy`](Self::cross_entropy). The
    /// reduction of the options has no effect.
    ///
    /// # Panics
    ///
    /// If the shape of `target` is not that of the logits without dimension 1.
    #[track_caller]
    pub fn cross_entropy_losses<const T: usize>(
        self,
        target: Tensor<T, Int, B>,
        options: CrossEntropy,
    ) -> Tensor<T, Float, B> {
        let options = CrossEntropy { reduction: Reduction::None, ..options };
        Tensor::wrap(B::cross_entropy(self.primitive, target.primitive, options))
    }
    /// The mean or sum of (x - target)².
    ///
    /// # Panics
    ///
    /// If the shapes differ, or no reduction is asked for, which is [`mse_losses`](Self::mse_losses).
    #[track_caller]
    pub fn mse(self, target: Self, reduction: Reduction) -> Tensor<0, Float, B> {
        self.check_reduced("mse", reduction, "`mse_losses`");
        Tensor::wrap(B::mse(self.primitive, target.primitive, reduction))
    }

    /// (x - target)² for each element.
    ///
    /// # Panics
    ///
    /// If the shapes differ.
    #[track_caller]
    pub fn mse_losses(self, target: Self) -> Self {
        Self::wrap(B::mse(self.primitive, target.primitive, Reduction::None))
    }

    /// The mean or sum of -t ln sigmoid(x) - (1 - t) ln(1 - sigmoid(x)) for these logits x and targets t, without overflow;
    /// see [`NnOps::binary_cross_entropy_with_logits`].
    ///
    /// # Panics
    ///
    /// If the shapes differ, or no reduction is asked for, which is
    /// [`binary_cross_entropy_with_logits_losses`](Self::binary_cross_entropy_with_logits_losses).
    #[track_caller]
    pub fn binary_cross_entropy_with_logits(self, target: Self, reduction: Reduction) -> Tensor<0, Float, B> {
        let losses = "`binary_cross_entropy_with_logits_losses`";
        self.check_reduced("binary_cross_entropy_with_logits", reduction, losses);
        Tensor::wrap(B::binary_cross_entropy_with_logits(self.primitive, target.primitive, reduction))
    }

    /// The binary cross-entropy of each element; see
    /// [`binary_cross_entropy_with_logits`](Self::binary_cross_entropy_with_logits).
    ///
    /// # Panics
    ///
    /// If the shapes differ.
    #[track_caller]
    pub fn binary_cross_entropy_with_logits_losses(self, target: Self) -> Self {
        Self::wrap(B::binary_cross_entropy_with_logits(self.primitive, target.primitive, Reduction::None))
    }

    #[track_caller]
    fn check_reduced(&self, op: &'static str, reduction: Reduction, losses: &str) {
        if reduction == Reduction::None {
            let reason = format!("one loss a sample is what {losses} gives");
            raise(&ShapeError::single(op, &self.primitive.shape(), reason))
        }
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias over the last `N` dimensions, of which weight and bias have the shape; see
    /// [`NnOps::layer_norm`].
    ///
    /// ```
    /// use opswitch::Tensor;
    ///
    /// let x = Tensor::<2>::from_floats([[1.0, 3.0], [10.0, 50.0]], &Default::default());
    /// assert_eq!(x.layer_norm::<1>(None, None, 0.0).to_string(), "[[-1.  1.]\n [-1.  1.]]");
    /// ```
    ///
    /// # Panics
    ///
    /// If `N` is 0 or more than the dimensions, or weight or bias has another shape.
    #[track_caller]
    pub fn layer_norm<const N: usize>(
        self,
        weight: Option<Tensor<N, Float, B>>,
        bias: Option<Tensor<N, Float, B>>,
        eps: f64,
    ) -> Self {
        let [weight, bias] = [weight, bias].map(|parameter| parameter.map(Tensor::into_primitive));
        Self::wrap(B::layer_norm(self.primitive, weight, bias, N, eps))
    }

    /// x / sqrt(mean(x²) + eps) * weight over the last `N` dimensions, of which weight has the shape; see [`NnOps::rms_norm`].
    ///
    /// # Panics
    ///
    /// If `N` is 0 or more than the dimensions, or the weight has another shape.
    #[track_caller]
    pub fn rms_norm<const N: usize>(self, weight: Option<Tensor<N, Float, B>>, eps: f64) -> Self {
        Self::wrap(B::rms_norm(self.primitive, weight.map(Tensor::into_primitive), N, eps))
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias over each of `num_groups` groups of channels, which are dimension 1, and all
    /// that lies behind them; see [`NnOps::group_norm`].
    ///
    /// # Panics
    ///
    /// If there is no dimension 1, its extent cannot be divided into the groups, or weight or bias has another length.
    #[track_caller]
    pub fn group_norm(
        self,
        weight: Option<Tensor<1, Float, B>>,
        bias: Option<Tensor<1, Float, B>>,
        num_groups: usize,
        eps: f64,
    ) -> Self {
        let [weight, bias] = [weight, bias].map(|parameter| parameter.map(Tensor::into_primitive));
        Self::wrap(B::group_norm(self.primitive, weight, bias, num_groups, eps))
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias for each channel, which is dimension 1, with mean and variance of this
    /// batch; and the running mean and variance after it, which carry no gradient. See [`NnOps::batch_norm`].
    ///
    /// # Panics
    ///
    /// If there is no dimension 1, a channel has one element, or another tensor is not as long as there are channels.
    #[track_caller]
    pub fn batch_norm_training(
        self,
        weight: Option<Tensor<1, Float, B>>,
        bias: Option<Tensor<1, Float, B>>,
        running_mean: Tensor<1, Float, B>,
        running_var: Tensor<1, Float, B>,
        momentum: f64,
        eps: f64,
    ) -> (Self, Tensor<1, Float, B>, Tensor<1, Float, B>) {
        let [weight, bias] = [weight, bias].map(|parameter| parameter.map(Tensor::into_primitive));
        let (mean, var) = (running_mean.primitive, running_var.primitive);
        let (x, mean, var) = B::batch_norm(self.primitive, weight, bias, mean, var, true, momentum, eps);
        (Self::wrap(x), Tensor::wrap(mean), Tensor::wrap(var))
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias for each channel, which is dimension 1, with this mean and variance; see
    /// [`NnOps::batch_norm`].
    ///
    /// # Panics
    ///
    /// If there is no dimension 1, or another tensor is not as long as there are channels.
    #[track_caller]
    pub fn batch_norm_inference(
        self,
        weight: Option<Tensor<1, Float, B>>,
        bias: Option<Tensor<1, Float, B>>,
        mean: Tensor<1, Float, B>,
        var: Tensor<1, Float, B>,
        eps: f64,
    ) -> Self {
        let [weight, bias] = [weight, bias].map(|parameter| parameter.map(Tensor::into_primitive));
        let (mean, var) = (mean.primitive, var.primitive);
        Self::wrap(B::batch_norm(self.primitive, weight, bias, mean, var, false, 0.0, eps).0)
    }

    /// This tensor with each element replaced by 0 with this probability, and the others divided by 1 - probability. The choice
    /// comes from the device's generator; see [`seed`](Self::seed).
    ///
    /// # Panics
    ///
    /// If the probability is not in `0.0..=1.0`.
    #[track_caller]
    pub fn dropout(self, probability: impl Scalar<Float>) -> Self {
        Self::wrap(B::dropout(self.primitive, probability.to_scalar()))
    }

    /// softmax(scale query keyᵀ + mask) value over the last two dimensions, with these queries; those before broadcast. The
    /// scale is 1 / sqrt(width) unless it is given, and `causal` lets query i see keys 0 to i. See
    /// [`NnOps::scaled_dot_product_attention`].
    ///
    /// ```
    /// use opswitch::Tensor;
    ///
    /// let device = Default::default();
    /// let (query, key) = (Tensor::<2>::zeros([2, 4], &device), Tensor::zeros([2, 4], &device));
    /// let value = Tensor::from_floats([[1.0], [3.0]], &device);
    /// let all = query.clone().scaled_dot_product_attention(key.clone(), value.clone(), None, false, None);
    /// assert_eq!(all.to_string(), "[[2.]\n [2.]]");
    /// let mask = Tensor::<2, _>::from_bools([[false, true], [false, false]], &device);
    /// let seen = query.scaled_dot_product_attention(key, value, Some(mask.into()), false, None);
    /// assert_eq!(seen.to_string(), "[[3.]\n [0.]]");
    /// ```
    ///
    /// # Panics
    ///
    /// If `D` is less than 2, widths or the numbers of keys and values differ, dimensions before the last two do not broadcast,
    /// or the mask does not expand to `[.., queries, keys]`.
    #[track_caller]
    pub fn scaled_dot_product_attention(
        self,
        key: Self,
        value: Self,
        mask: Option<AttentionMask<B>>,
        causal: bool,
        scale: Option<f64>,
    ) -> Self {
        let (key, value) = (key.primitive, value.primitive);
        Self::wrap(B::scaled_dot_product_attention(self.primitive, key, value, mask, causal, scale))
    }
}

impl<B: NnOps> Tensor<2, Float, B> {
    /// The rows of this matrix with these indices, along a new last dimension; `R` is one more than `D`.
    ///
    /// # Panics
    ///
    /// If `R` is not the rank of the result or, where the backend can see it, an index is out of range.
    #[track_caller]
    pub fn embedding<const D: usize, const R: usize>(
        self,
        indices: Tensor<D, Int, B>,
    ) -> Tensor<R, Float, B> {
        Tensor::from_result("embedding", B::embedding(self.primitive, indices.primitive))
    }
}

impl<const D: usize, B: Backend> From<Tensor<D, Bool, B>> for AttentionMask<B> {
    fn from(seen: Tensor<D, Bool, B>) -> Self {
        Self::Bool(seen.primitive)
    }
}

impl<const D: usize, B: Backend> From<Tensor<D, Float, B>> for AttentionMask<B> {
    fn from(added: Tensor<D, Float, B>) -> Self {
        Self::Float(added.primitive)
    }
}
