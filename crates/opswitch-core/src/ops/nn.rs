//! Neural-network ops.

use opswitch_macros::backend_extension;

use super::{AttentionMask, formulas};
use crate::{
    autodiff::AutodiffOps,
    backend::{FloatTensor, IntTensor},
    ops::{
        AvgPoolOptions, ConvOptions, ConvTransposeOptions, Convolution, FloatOps, InterpolateMode,
        MaxPoolOptions, PoolWindows,
    },
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
    /// Elements of 16 bits are computed in `f32`.
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

    // Convolution. As in most libraries, kernels are not flipped.

    /// The convolution of `x`, of shape `[batch, in, spatial..]`, with `weight`, of shape `[out, in / groups, kernel..]`, in
    /// any number of spatial dimensions:
    /// y[b, o, p] = Σ x[b, i, stride p + dilation q - padding] weight[o, i, q] over the inputs i of the group of o, and q.
    ///
    /// Convolutions of a fixed rank are made of this op, [`conv_transpose`](Self::conv_transpose) and
    /// [`conv_weight`](Self::conv_weight): with a tensor of the shape of y, and Σ over all its elements, they are the three ways
    /// to leave one tensor out of Σ x weight y. The gradient of each is made of the other two.
    #[backward {
        x => B::conv_transpose(grad, weight, options, &x.shape()[2..]);
        weight => B::conv_weight(x, grad, options, &weight.shape()[2..]);
    }]
    fn conv(x: FloatTensor<Self>, weight: FloatTensor<Self>, options: &Convolution) -> FloatTensor<Self> {
        formulas::conv::<Self>(x, weight, options)
    }

    /// What [`conv`](Self::conv) reads, added up where it reads it: the result, of spatial extents `size`, has the shape of
    /// an input of the convolution with `weight` and `options`, and `y` that of its result, or is cut at its end.
    #[backward {
        y => formulas::conv_as::<B>(grad, weight, options, &y.shape());
        weight => B::conv_weight(grad, y, options, &weight.shape()[2..]);
    }]
    fn conv_transpose(
        y: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        options: &Convolution,
        size: &[usize],
    ) -> FloatTensor<Self> {
        formulas::conv_transpose::<Self>(y, weight, options, size)
    }

    /// The products of what [`conv`](Self::conv) multiplies a weight with, and of `y`, summed: the result, of spatial extents
    /// `kernel`, has the shape of that weight, and `y` that of its result, or is cut at its end.
    #[backward {
        x => B::conv_transpose(y, grad, options, &x.shape()[2..]);
        y => formulas::conv_as::<B>(x, grad, options, &y.shape());
    }]
    fn conv_weight(
        x: FloatTensor<Self>,
        y: FloatTensor<Self>,
        options: &Convolution,
        kernel: &[usize],
    ) -> FloatTensor<Self> {
        formulas::conv_weight::<Self>(x, y, options, kernel)
    }

    /// The convolution of `x`, of shape `[batch, in, length]`, with `weight`, of shape `[out, in / groups, kernel]`, and a bias
    /// for each output channel; see [`conv`](Self::conv). The result has the shape `[batch, out, windows]`.
    ///
    /// # Panics
    ///
    /// Also if channels cannot be cut into the groups, a window does not fit in the padded input, or a stride or dilation is
    /// 0.
    #[backward(default)]
    fn conv1d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
        options: ConvOptions<1>,
    ) -> FloatTensor<Self> {
        formulas::conv_with_bias::<Self, 1>("conv1d", x, weight, bias, options)
    }

    /// As [`conv1d`](Self::conv1d), with two spatial dimensions.
    #[backward(default)]
    fn conv2d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        formulas::conv_with_bias::<Self, 2>("conv2d", x, weight, bias, options)
    }

    /// As [`conv1d`](Self::conv1d), with three spatial dimensions.
    #[backward(default)]
    fn conv3d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
        options: ConvOptions<3>,
    ) -> FloatTensor<Self> {
        formulas::conv_with_bias::<Self, 3>("conv3d", x, weight, bias, options)
    }

    /// The transposed convolution of `x`, of shape `[batch, in, length]`, with `weight`, of shape
    /// `[in, out / groups, kernel]`, and a bias for each output channel: the gradient of [`conv1d`](Self::conv1d) with the same
    /// weight and options. The extent of the result is
    /// (length - 1) stride - 2 padding + dilation (kernel - 1) + output padding + 1.
    ///
    /// # Panics
    ///
    /// Also if channels cannot be cut into the groups, nothing is left of the result, a stride or dilation is 0, or the
    /// output padding is less than neither of them.
    #[backward(default)]
    fn conv_transpose1d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
        options: ConvTransposeOptions<1>,
    ) -> FloatTensor<Self> {
        formulas::conv_transpose_with_bias::<Self, 1>("conv_transpose1d", x, weight, bias, options)
    }

    /// As [`conv_transpose1d`](Self::conv_transpose1d), with two spatial dimensions.
    #[backward(default)]
    fn conv_transpose2d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
        options: ConvTransposeOptions<2>,
    ) -> FloatTensor<Self> {
        formulas::conv_transpose_with_bias::<Self, 2>("conv_transpose2d", x, weight, bias, options)
    }

    /// As [`conv_transpose1d`](Self::conv_transpose1d), with three spatial dimensions.
    #[backward(default)]
    fn conv_transpose3d(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
        options: ConvTransposeOptions<3>,
    ) -> FloatTensor<Self> {
        formulas::conv_transpose_with_bias::<Self, 3>("conv_transpose3d", x, weight, bias, options)
    }

    // Pooling. Windows over the spatial dimensions of `[batch, channels, spatial..]`.

    /// Where the greatest element of each window is, in any number of spatial dimensions: its index, of type
    /// [`int_dtype`](crate::Backend::int_dtype), in the plane of its channel; the first at a tie, the first NaN if there is one.
    /// Never one in the padding.
    #[backward(none)]
    fn max_pool_index(x: FloatTensor<Self>, windows: &PoolWindows) -> IntTensor<Self> {
        formulas::max_pool_index::<Self>(x, windows)
    }

    /// The greatest element of each window of `x`, of shape `[batch, channels, length]`; NaN if there is one. The gradient goes
    /// to the first of them at a tie.
    ///
    /// # Panics
    ///
    /// Also if a window does not fit in the padded input, or lies in the padding alone, the padding is more than half of it, or
    /// a kernel size, stride or dilation is 0.
    #[backward(default)]
    fn max_pool1d(x: FloatTensor<Self>, options: MaxPoolOptions<1>) -> FloatTensor<Self> {
        formulas::max_pool::<Self>("max_pool1d", x, &options.into()).0
    }

    /// [`max_pool1d`](Self::max_pool1d), and where in its channel each element was: indices as of
    /// [`max_pool_index`](Self::max_pool_index).
    #[backward(default)]
    fn max_pool1d_with_indices(
        x: FloatTensor<Self>,
        options: MaxPoolOptions<1>,
    ) -> (FloatTensor<Self>, IntTensor<Self>) {
        formulas::max_pool::<Self>("max_pool1d_with_indices", x, &options.into())
    }

    /// As [`max_pool1d`](Self::max_pool1d), with two spatial dimensions; the first of a window is that in row-major order.
    #[backward(default)]
    fn max_pool2d(x: FloatTensor<Self>, options: MaxPoolOptions<2>) -> FloatTensor<Self> {
        formulas::max_pool::<Self>("max_pool2d", x, &options.into()).0
    }

    /// [`max_pool2d`](Self::max_pool2d), and where in the plane of its channel each element was: indices as of
    /// [`max_pool_index`](Self::max_pool_index).
    #[backward(default)]
    fn max_pool2d_with_indices(
        x: FloatTensor<Self>,
        options: MaxPoolOptions<2>,
    ) -> (FloatTensor<Self>, IntTensor<Self>) {
        formulas::max_pool::<Self>("max_pool2d_with_indices", x, &options.into())
    }

    /// The mean of each window of `x`, of shape `[batch, channels, length]`. Half types are summed in `f32`.
    ///
    /// # Panics
    ///
    /// Also if a window does not fit in the padded input, the padding is more than half of it, or a kernel size or stride is 0.
    #[backward(default)]
    fn avg_pool1d(x: FloatTensor<Self>, options: AvgPoolOptions<1>) -> FloatTensor<Self> {
        formulas::avg_pool::<Self, 1>("avg_pool1d", x, options)
    }

    /// As [`avg_pool1d`](Self::avg_pool1d), with two spatial dimensions.
    #[backward(default)]
    fn avg_pool2d(x: FloatTensor<Self>, options: AvgPoolOptions<2>) -> FloatTensor<Self> {
        formulas::avg_pool::<Self, 2>("avg_pool2d", x, options)
    }

    /// The means of `output_size` parts of `x`, of shape `[batch, channels, length]`: part i of n reaches from
    /// ⌊i length / n⌋ to ⌈(i + 1) length / n⌉, so that parts may overlap. Half types are summed in `f32`.
    ///
    /// # Panics
    ///
    /// Also if there is nothing to take the mean of.
    #[backward(default)]
    fn adaptive_avg_pool1d(x: FloatTensor<Self>, output_size: [usize; 1]) -> FloatTensor<Self> {
        formulas::adaptive_avg_pool::<Self, 1>("adaptive_avg_pool1d", x, output_size)
    }

    /// As [`adaptive_avg_pool1d`](Self::adaptive_avg_pool1d), with two spatial dimensions.
    #[backward(default)]
    fn adaptive_avg_pool2d(x: FloatTensor<Self>, output_size: [usize; 2]) -> FloatTensor<Self> {
        formulas::adaptive_avg_pool::<Self, 2>("adaptive_avg_pool2d", x, output_size)
    }

    // Resampling.

    /// Images `x`, of shape `[batch, channels, height, width]`, resampled to `output_size`.
    ///
    /// An image is as wide as its elements are, and their centres are compared: element i of n lies at
    /// (i + 1/2) extent / n - 1/2 among `extent` old ones. With `align_corners` the centres of the first and of the last
    /// elements are in the same place: it lies at i (extent - 1) / (n - 1). The nearest is ⌊i extent / n⌋. Beyond its edge an
    /// image goes on as the element there.
    ///
    /// # Panics
    ///
    /// Also if an image has no height or width, or corners are to be aligned of nearest elements.
    #[backward(default)]
    fn interpolate(
        x: FloatTensor<Self>,
        output_size: [usize; 2],
        mode: InterpolateMode,
        align_corners: bool,
    ) -> FloatTensor<Self> {
        formulas::interpolate::<Self>(x, output_size, mode, align_corners)
    }
}
