//! How an image is resampled.

/// Between which elements [`interpolate`](super::NnOps::interpolate) computes a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterpolateMode {
    /// The element before, by rounding down.
    Nearest,
    /// The two neighbours in each dimension, by their distance.
    Bilinear,
    /// Four neighbours in each dimension, by the cubic convolution of Keys (1981) with a = -0.75.
    Bicubic,
}
