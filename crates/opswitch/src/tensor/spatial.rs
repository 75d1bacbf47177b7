//! Convolution, pooling and resampling.

use opswitch_core::{
    Float, Int,
    ops::{AvgPoolOptions, ConvOptions, ConvTransposeOptions, InterpolateMode, MaxPoolOptions, NnOps},
};

use super::Tensor;

impl<B: NnOps> Tensor<3, Float, B> {
    /// The convolution of this tensor, of shape `[batch, in, length]`, with a weight of shape `[out, in / groups, kernel]`,
    /// and a bias for each output channel; see [`NnOps::conv1d`].
    ///
    /// # Panics
    ///
    /// If shapes and options do not fit each other, or a window does not fit in the padded tensor.
    #[track_caller]
    pub fn conv1d(self, weight: Self, bias: Option<Tensor<1, Float, B>>, options: ConvOptions<1>) -> Self {
        Self::wrap(B::conv1d(self.primitive, weight.primitive, bias.map(Tensor::into_primitive), options))
    }

    /// The transposed convolution of this tensor, of shape `[batch, in, length]`, with a weight of shape
    /// `[in, out / groups, kernel]`, and a bias for each output channel; see [`NnOps::conv_transpose1d`].
    ///
    /// # Panics
    ///
    /// If shapes and options do not fit each other, or nothing is left of the result.
    #[track_caller]
    pub fn conv_transpose1d(
        self,
        weight: Self,
        bias: Option<Tensor<1, Float, B>>,
        options: ConvTransposeOptions<1>,
    ) -> Self {
        let bias = bias.map(Tensor::into_primitive);
        Self::wrap(B::conv_transpose1d(self.primitive, weight.primitive, bias, options))
    }

    /// The greatest element of each window along the last dimension; see [`NnOps::max_pool1d`].
    ///
    /// # Panics
    ///
    /// If a window does not fit in the padded tensor, the padding is more than half of it, or an option is 0.
    #[track_caller]
    pub fn max_pool1d(self, options: MaxPoolOptions<1>) -> Self {
        Self::wrap(B::max_pool1d(self.primitive, options))
    }

    /// [`max_pool1d`](Self::max_pool1d), and the index of each element in the last dimension.
    ///
    /// # Panics
    ///
    /// As [`max_pool1d`](Self::max_pool1d).
    #[track_caller]
    pub fn max_pool1d_with_indices(self, options: MaxPoolOptions<1>) -> (Self, Tensor<3, Int, B>) {
        let (values, indices) = B::max_pool1d_with_indices(self.primitive, options);
        (Self::wrap(values), Tensor::wrap(indices))
    }

    /// The mean of each window along the last dimension; see [`NnOps::avg_pool1d`].
    ///
    /// # Panics
    ///
    /// If a window does not fit in the padded tensor, the padding is more than half of it, or an option is 0.
    #[track_caller]
    pub fn avg_pool1d(self, options: AvgPoolOptions<1>) -> Self {
        Self::wrap(B::avg_pool1d(self.primitive, options))
    }

    /// The means of as many parts of the last dimension; see [`NnOps::adaptive_avg_pool1d`].
    ///
    /// # Panics
    ///
    /// If there is nothing to take the mean of.
    #[track_caller]
    pub fn adaptive_avg_pool1d(self, output_size: usize) -> Self {
        Self::wrap(B::adaptive_avg_pool1d(self.primitive, [output_size]))
    }
}

impl<B: NnOps> Tensor<4, Float, B> {
    /// The convolution of this tensor, of shape `[batch, in, height, width]`, with a weight of shape
    /// `[out, in / groups, kernel height, kernel width]`, and a bias for each output channel; see [`NnOps::conv2d`].
    ///
    /// ```
    /// use opswitch::{Int, Tensor, ops::ConvOptions};
    ///
    /// let device = Default::default();
    /// let image = Tensor::<1, Int>::arange(0..9, &device).float().reshape([1, 1, 3, 3]);
    /// let sum_of_four = Tensor::<4>::ones([1, 1, 2, 2], &device);
    /// let y = image.conv2d(sum_of_four, None, ConvOptions::default());
    /// assert_eq!(y.to_vec::<f32>()?, [8.0, 12.0, 20.0, 24.0]);
    /// # Ok::<(), opswitch::DataError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If shapes and options do not fit each other, or a window does not fit in the padded tensor.
    #[track_caller]
    pub fn conv2d(self, weight: Self, bias: Option<Tensor<1, Float, B>>, options: ConvOptions<2>) -> Self {
        Self::wrap(B::conv2d(self.primitive, weight.primitive, bias.map(Tensor::into_primitive), options))
    }

    /// The transposed convolution of this tensor, of shape `[batch, in, height, width]`, with a weight of shape
    /// `[in, out / groups, kernel height, kernel width]`, and a bias for each output channel; see
    /// [`NnOps::conv_transpose2d`].
    ///
    /// # Panics
    ///
    /// If shapes and options do not fit each other, or nothing is left of the result.
    #[track_caller]
    pub fn conv_transpose2d(
        self,
        weight: Self,
        bias: Option<Tensor<1, Float, B>>,
        options: ConvTransposeOptions<2>,
    ) -> Self {
        let bias = bias.map(Tensor::into_primitive);
        Self::wrap(B::conv_transpose2d(self.primitive, weight.primitive, bias, options))
    }

    /// The greatest element of each window over the last two dimensions; see [`NnOps::max_pool2d`].
    ///
    /// ```
    /// use opswitch::{Int, Tensor, ops::MaxPoolOptions};
    ///
    /// let image = Tensor::<1, Int>::arange(0..16, &Default::default()).float().reshape([1, 1, 4, 4]);
    /// let y = image.max_pool2d(MaxPoolOptions::new([2, 2]));
    /// assert_eq!(y.to_vec::<f32>()?, [5.0, 7.0, 13.0, 15.0]);
    /// # Ok::<(), opswitch::DataError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a window does not fit in the padded tensor, the padding is more than half of it, or an option is 0.
    #[track_caller]
    pub fn max_pool2d(self, options: MaxPoolOptions<2>) -> Self {
        Self::wrap(B::max_pool2d(self.primitive, options))
    }

    /// [`max_pool2d`](Self::max_pool2d), and the index of each element in the last two dimensions as one.
    ///
    /// # Panics
    ///
    /// As [`max_pool2d`](Self::max_pool2d).
    #[track_caller]
    pub fn max_pool2d_with_indices(self, options: MaxPoolOptions<2>) -> (Self, Tensor<4, Int, B>) {
        let (values, indices) = B::max_pool2d_with_indices(self.primitive, options);
        (Self::wrap(values), Tensor::wrap(indices))
    }

    /// The mean of each window over the last two dimensions; see [`NnOps::avg_pool2d`].
    ///
    /// # Panics
    ///
    /// If a window does not fit in the padded tensor, the padding is more than half of it, or an option is 0.
    #[track_caller]
    pub fn avg_pool2d(self, options: AvgPoolOptions<2>) -> Self {
        Self::wrap(B::avg_pool2d(self.primitive, options))
    }

    /// The means of as many parts of each of the last two dimensions; see [`NnOps::adaptive_avg_pool2d`].
    ///
    /// # Panics
    ///
    /// If there is nothing to take the mean of.
    #[track_caller]
    pub fn adaptive_avg_pool2d(self, output_size: [usize; 2]) -> Self {
        Self::wrap(B::adaptive_avg_pool2d(self.primitive, output_size))
    }

    /// Images, of shape `[batch, channels, height, width]`, resampled to another height and width; see
    /// [`NnOps::interpolate`].
    ///
    /// ```
    /// use opswitch::{Int, Tensor, ops::InterpolateMode};
    ///
    /// let image = Tensor::<1, Int>::arange(0..2, &Default::default()).float().reshape([1, 1, 1, 2]);
    /// let y = image.interpolate([1, 4], InterpolateMode::Bilinear, false);
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 0.25, 0.75, 1.0]);
    /// # Ok::<(), opswitch::DataError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an image has no height or width, or corners are to be aligned of nearest elements.
    #[track_caller]
    pub fn interpolate(self, output_size: [usize; 2], mode: InterpolateMode, align_corners: bool) -> Self {
        Self::wrap(B::interpolate(self.primitive, output_size, mode, align_corners))
    }
}

impl<B: NnOps> Tensor<5, Float, B> {
    /// The convolution of this tensor, of shape `[batch, in, depth, height, width]`, with a weight of shape
    /// `[out, in / groups, kernel..]`, and a bias for each output channel; see [`NnOps::conv3d`].
    ///
    /// # Panics
    ///
    /// If shapes and options do not fit each other, or a window does not fit in the padded tensor.
    #[track_caller]
    pub fn conv3d(self, weight: Self, bias: Option<Tensor<1, Float, B>>, options: ConvOptions<3>) -> Self {
        Self::wrap(B::conv3d(self.primitive, weight.primitive, bias.map(Tensor::into_primitive), options))
    }

    /// The transposed convolution of this tensor, of shape `[batch, in, depth, height, width]`, with a weight of shape
    /// `[in, out / groups, kernel..]`, and a bias for each output channel; see [`NnOps::conv_transpose3d`].
    ///
    /// # Panics
    ///
    /// If shapes and options do not fit each other, or nothing is left of the result.
    #[track_caller]
    pub fn conv_transpose3d(
        self,
        weight: Self,
        bias: Option<Tensor<1, Float, B>>,
        options: ConvTransposeOptions<3>,
    ) -> Self {
        let bias = bias.map(Tensor::into_primitive);
        Self::wrap(B::conv_transpose3d(self.primitive, weight.primitive, bias, options))
    }
}
