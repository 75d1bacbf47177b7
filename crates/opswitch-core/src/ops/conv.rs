//! How convolutions lay their windows, and the shapes that follow.

use smallvec::SmallVec;

use crate::{error::ShapeError, shape::Shape};

/// How a convolution over `N` spatial dimensions lays its windows.
///
/// ```
/// # use opswitch_core::ops::ConvOptions;
/// let same_size = ConvOptions { padding: [1, 1], ..ConvOptions::default() }; // for a kernel of 3x3
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvOptions<const N: usize> {
    /// The distance between two windows.
    pub stride: [usize; N],
    /// How many zeros stand before the input, and as many after it.
    pub padding: [usize; N],
    /// The distance between two elements of a window.
    pub dilation: [usize; N],
    /// How many groups the channels are cut into; outputs of a group see its inputs alone.
    pub groups: usize,
}

impl<const N: usize> Default for ConvOptions<N> {
    /// Windows of neighbours, at every position, without padding, over all channels.
    fn default() -> Self {
        Self { stride: [1; N], padding: [0; N], dilation: [1; N], groups: 1 }
    }
}

/// How a transposed convolution over `N` spatial dimensions lays its windows: over its result, as the convolution that
/// it transposes does over its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvTransposeOptions<const N: usize> {
    /// The distance between two windows.
    pub stride: [usize; N],
    /// How much is cut off at either end of the result.
    pub padding: [usize; N],
    /// How much longer the result is at its end. A convolution whose stride leaves a remainder has inputs of several
    /// sizes for one size of its result; this chooses among them.
    pub output_padding: [usize; N],
    /// The distance between two elements of a window.
    pub dilation: [usize; N],
    /// How many groups the channels are cut into; outputs of a group see its inputs alone.
    pub groups: usize,
}

impl<const N: usize> Default for ConvTransposeOptions<N> {
    /// Windows of neighbours, at every position, of which nothing is cut off, over all channels.
    fn default() -> Self {
        Self { stride: [1; N], padding: [0; N], output_padding: [0; N], dilation: [1; N], groups: 1 }
    }
}

/// [`ConvOptions`] for any number of spatial dimensions: what the ops have that convolutions are made of,
/// [`conv`](super::NnOps::conv), [`conv_transpose`](super::NnOps::conv_transpose) and
/// [`conv_weight`](super::NnOps::conv_weight).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// The distance between two windows.
    pub stride: SmallVec<[usize; 3]>,
    /// How many zeros stand before the input, and as many after it.
    pub padding: SmallVec<[usize; 3]>,
    /// The distance between two elements of a window.
    pub dilation: SmallVec<[usize; 3]>,
    /// How many groups the channels are cut into.
    pub groups: usize,
}

impl<const N: usize> From<ConvOptions<N>> for Convolution {
    fn from(options: ConvOptions<N>) -> Self {
        let ConvOptions { stride, padding, dilation, groups } = options;
        let of = |numbers: [usize; N]| SmallVec::from_slice(&numbers);
        Self { stride: of(stride), padding: of(padding), dilation: of(dilation), groups }
    }
}

impl<const N: usize> From<ConvTransposeOptions<N>> for Convolution {
    fn from(options: ConvTransposeOptions<N>) -> Self {
        let ConvTransposeOptions { stride, padding, dilation, groups, .. } = options;
        ConvOptions { stride, padding, dilation, groups }.into()
    }
}

impl Convolution {
    /// How far a window of `kernel` elements reaches in a spatial dimension.
    pub fn span(&self, dim: usize, kernel: usize) -> usize {
        self.dilation[dim].saturating_mul(kernel.saturating_sub(1)).saturating_add(1)
    }

    /// The number of windows of `kernel` elements in a spatial dimension of `extent`.
    pub fn windows(&self, dim: usize, extent: usize, kernel: usize) -> usize {
        let padded = extent.saturating_add(self.padding[dim].saturating_mul(2));
        match padded.checked_sub(self.span(dim, kernel)) {
            Some(room) => room / self.stride[dim] + 1,
            None => 0,
        }
    }

    /// The shape of a convolution of `x`, of shape `[batch, in, spatial..]`, with a weight of shape
    /// `[out, in / groups, kernel..]`.
    ///
    /// # Errors
    ///
    /// If they do not fit each other or these options, or a window does not fit in the padded input.
    pub fn output_shape(&self, op: &'static str, x: &Shape, weight: &Shape) -> Result<Shape, ShapeError> {
        self.check(op, x, weight, weight, [(weight, 0), (x, 1)])?;
        if x[1] != weight[1] * self.groups {
            let takes = weight[1] * self.groups;
            let reason = format!("the input has {} channels, and the weight takes {takes}", x[1]);
            return Err(ShapeError::pair(op, x, weight, reason));
        }
        let mut shape = vec![x[0], weight[0]];
        for dim in 0..self.stride.len() {
            let windows = self.windows(dim, x[dim + 2], weight[dim + 2]);
            if windows == 0 {
                let reason = format!("a window does not fit in the padded input in dimension {}", dim + 2);
                return Err(ShapeError::pair(op, x, weight, reason));
            }
            shape.push(windows);
        }
        Ok(shape.into())
    }

    /// The shape of the input, of spatial extents `size`, of the convolution with a result of shape `y`.
    ///
    /// # Errors
    ///
    /// If result and weight do not fit each other or these options, or there are not so many windows in `size`.
    pub fn input_shape(
        &self,
        op: &'static str,
        y: &Shape,
        weight: &Shape,
        size: &[usize],
    ) -> Result<Shape, ShapeError> {
        self.check(op, y, weight, weight, [(weight, 0), (y, 1)])?;
        if y[1] != weight[0] {
            let reason = format!("the input has {} channels, and the weight takes {}", y[1], weight[0]);
            return Err(ShapeError::pair(op, y, weight, reason));
        }
        self.check_windows(op, y, weight, size, &weight[2..])?;
        Ok([y[0], weight[1] * self.groups].iter().chain(size).copied().collect())
    }

    /// The shape of the weight, of spatial extents `kernel`, of the convolution of `x` with a result of shape `y`.
    ///
    /// # Errors
    ///
    /// If input and result do not fit each other or these options.
    pub fn weight_shape(
        &self,
        op: &'static str,
        x: &Shape,
        y: &Shape,
        kernel: &[usize],
    ) -> Result<Shape, ShapeError> {
        let kernel: Shape = [1, 1].iter().chain(kernel).copied().collect();
        self.check(op, x, y, &kernel, [(x, 1), (y, 1)])?;
        if x[0] != y[0] {
            return Err(ShapeError::pair(op, x, y, "the batches differ"));
        }
        self.check_windows(op, y, x, &x[2..], &kernel[2..])?;
        Ok([y[1], x[1] / self.groups].iter().chain(&kernel[2..]).copied().collect())
    }

    /// Checks ranks, the options, and that channels can be cut into groups.
    fn check(
        &self,
        op: &'static str,
        lhs: &Shape,
        rhs: &Shape,
        kernel: &Shape,
        channels: [(&Shape, usize); 2],
    ) -> Result<(), ShapeError> {
        let (dims, groups) = (self.stride.len(), self.groups);
        let fail = |reason: String| Err(ShapeError::pair(op, lhs, rhs, reason));
        if [lhs, rhs, kernel].iter().any(|shape| shape.rank() != dims + 2) {
            return fail(format!("both have two dimensions before the {dims} spatial ones"));
        }
        if self.padding.len() != dims || self.dilation.len() != dims {
            return fail("stride, padding and dilation have one number a spatial dimension".to_owned());
        }
        if self.stride.contains(&0) || self.dilation.contains(&0) {
            return fail("stride and dilation cannot be 0".to_owned());
        }
        if kernel[2..].contains(&0) {
            return fail("a kernel without elements has no windows".to_owned());
        }
        let [some, others] = channels.map(|(shape, dim)| shape[dim]);
        if groups == 0 || some % groups != 0 || others % groups != 0 {
            return fail(format!("{some} and {others} channels cannot be cut into {groups} groups"));
        }
        Ok(())
    }

    /// Checks that an input of spatial extents `size` has the windows whose results are `y`.
    fn check_windows(
        &self,
        op: &'static str,
        y: &Shape,
        other: &Shape,
        size: &[usize],
        kernel: &[usize],
    ) -> Result<(), ShapeError> {
        let has = |dim: usize| self.windows(dim, size[dim], kernel[dim]) >= y[dim + 2];
        if size.len() == self.stride.len() && (0..size.len()).all(has) {
            return Ok(());
        }
        let reason = format!("there are not so many windows of {kernel:?} in {size:?}");
        Err(ShapeError::pair(op, y, other, reason))
    }
}
