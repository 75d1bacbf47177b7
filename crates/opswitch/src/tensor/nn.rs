//! Normalisations and losses.

use opswitch_core::{
    Float, Int, ShapeError, TensorHandle,
    ops::{CrossEntropy, NnOps, Reduction},
    raise,
};

use super::{Tensor, dims::resolve_dim};

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
        if options.reduction == Reduction::None {
            let reason = "one loss a sample is what `cross_entropy_losses` gives";
            raise(&ShapeError::single("cross_entropy", &self.primitive.shape(), reason))
        }
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
}
