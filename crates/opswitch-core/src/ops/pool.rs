//! How pooling lays its windows, and the shapes that follow.

use smallvec::SmallVec;

use crate::{error::ShapeError, shape::Shape};

/// How [`max_pool1d`](super::NnOps::max_pool1d) and [`max_pool2d`](super::NnOps::max_pool2d) lay their windows.
///
/// ```
/// # use opswitch_core::ops::MaxPoolOptions;
/// let halves = MaxPoolOptions::new([2, 2]);
/// let overlapping = MaxPoolOptions { stride: [2, 2], padding: [1, 1], ..MaxPoolOptions::new([3, 3]) };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaxPoolOptions<const N: usize> {
    /// The number of elements of a window.
    pub kernel_size: [usize; N],
    /// The distance between two windows.
    pub stride: [usize; N],
    /// How far windows may reach beyond the input at either end: half of a window at most. What lies there is never
    /// the greatest.
    pub padding: [usize; N],
    /// The distance between two elements of a window.
    pub dilation: [usize; N],
    /// Whether a last window that does not fit is kept, unless it starts behind the input.
    pub ceil_mode: bool,
}

impl<const N: usize> MaxPoolOptions<N> {
    /// Windows of this size side by side.
    pub const fn new(kernel_size: [usize; N]) -> Self {
        Self { kernel_size, stride: kernel_size, padding: [0; N], dilation: [1; N], ceil_mode: false }
    }
}

/// How [`avg_pool1d`](super::NnOps::avg_pool1d) and [`avg_pool2d`](super::NnOps::avg_pool2d) lay their windows, and what
/// they divide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AvgPoolOptions<const N: usize> {
    /// The number of elements of a window.
    pub kernel_size: [usize; N],
    /// The distance between two windows.
    pub stride: [usize; N],
    /// How many zeros stand before the input, and as many after it: half of a window at most.
    pub padding: [usize; N],
    /// Whether a last window that does not fit is kept, unless it starts behind the input.
    pub ceil_mode: bool,
    /// Whether the zeros around the input count as elements of a window. What lies beyond them never does.
    pub count_include_pad: bool,
}

impl<const N: usize> AvgPoolOptions<N> {
    /// Windows of this size side by side.
    pub const fn new(kernel_size: [usize; N]) -> Self {
        Self { kernel_size, stride: kernel_size, padding: [0; N], ceil_mode: false, count_include_pad: true }
    }
}

/// Windows over any number of spatial dimensions: what [`max_pool_index`](super::NnOps::max_pool_index) has, of which max
/// pooling is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PoolWindows {
    /// The number of elements of a window.
    pub kernel_size: SmallVec<[usize; 3]>,
    /// The distance between two windows.
    pub stride: SmallVec<[usize; 3]>,
    /// How far windows may reach beyond the input at either end.
    pub padding: SmallVec<[usize; 3]>,
    /// The distance between two elements of a window.
    pub dilation: SmallVec<[usize; 3]>,
    /// Whether a last window that does not fit is kept, unless it starts behind the input.
    pub ceil_mode: bool,
}

impl<const N: usize> From<MaxPoolOptions<N>> for PoolWindows {
    fn from(options: MaxPoolOptions<N>) -> Self {
        let MaxPoolOptions { kernel_size, stride, padding, dilation, ceil_mode } = options;
        let of = |numbers: [usize; N]| SmallVec::from_slice(&numbers);
        Self {
            kernel_size: of(kernel_size),
            stride: of(stride),
            padding: of(padding),
            dilation: of(dilation),
            ceil_mode,
        }
    }
}

impl<const N: usize> From<AvgPoolOptions<N>> for PoolWindows {
    fn from(options: AvgPoolOptions<N>) -> Self {
        let AvgPoolOptions { kernel_size, stride, padding, ceil_mode, .. } = options;
        MaxPoolOptions { kernel_size, stride, padding, dilation: [1; N], ceil_mode }.into()
    }
}

impl PoolWindows {
    /// The shape of `x`, `[batch, channels, spatial..]`, with the number of windows in place of each spatial extent.
    ///
    /// # Errors
    ///
    /// If the options do not fit the shape or each other, or a window has no element inside the input.
    pub fn output_shape(&self, op: &'static str, x: &Shape) -> Result<Shape, ShapeError> {
        self.check(op, x)?;
        let mut shape = x.clone();
        for dim in 0..self.stride.len() {
            let extent = x[dim + 2];
            let windows = self.windows(dim, extent);
            if windows == 0 {
                let reason = format!("a window does not fit in the padded input in dimension {}", dim + 2);
                return Err(self.misfit(op, x, reason));
            }
            // Those that start inside the input have an element there.
            let outside = self.padding[dim].div_ceil(self.stride[dim]).min(windows);
            if (0..outside).any(|window| self.inside(dim, extent, window).is_none()) {
                let reason = format!("a window has nothing but padding in dimension {}", dim + 2);
                return Err(self.misfit(op, x, reason));
            }
            shape = shape.with_dim(dim + 2, windows);
        }
        Ok(shape)
    }

    /// The number of windows in a spatial dimension of `extent`.
    fn windows(&self, dim: usize, extent: usize) -> usize {
        let (stride, padding) = (self.stride[dim], self.padding[dim]);
        let span = self.dilation[dim].saturating_mul(self.kernel_size[dim] - 1).saturating_add(1);
        let padded = extent.saturating_add(2 * padding);
        let room = if self.ceil_mode { padded.saturating_add(stride - 1) } else { padded };
        let Some(room) = room.checked_sub(span) else { return 0 };
        let windows = room / stride + 1;
        let starts_behind = self.ceil_mode && (windows - 1) * stride >= extent + padding;
        if starts_behind { windows - 1 } else { windows }
    }

    /// The first and the last element of a window that lie inside a spatial dimension of `extent`.
    pub fn inside(&self, dim: usize, extent: usize, window: usize) -> Option<(usize, usize)> {
        let (padding, dilation) = (self.padding[dim], self.dilation[dim]);
        let start = window * self.stride[dim];
        let first = padding.saturating_sub(start).div_ceil(dilation);
        let last = (extent + padding).checked_sub(start + 1)? / dilation;
        let last = last.min(self.kernel_size[dim] - 1);
        (first <= last).then_some((first, last))
    }

    /// The position of an element of a window that lies inside the input.
    pub fn position(&self, dim: usize, window: usize, element: usize) -> usize {
        window * self.stride[dim] + element * self.dilation[dim] - self.padding[dim]
    }

    fn check(&self, op: &'static str, x: &Shape) -> Result<(), ShapeError> {
        let dims = self.kernel_size.len();
        let fail = |reason: String| Err(self.misfit(op, x, reason));
        if x.rank() != dims + 2 {
            return fail(format!("the input has two dimensions before the {dims} spatial ones"));
        }
        if [&self.stride, &self.padding, &self.dilation].iter().any(|numbers| numbers.len() != dims) {
            return fail("stride, padding and dilation have one number a spatial dimension".to_owned());
        }
        if self.kernel_size.contains(&0) || self.stride.contains(&0) || self.dilation.contains(&0) {
            return fail("kernel size, stride and dilation cannot be 0".to_owned());
        }
        if self.padding.iter().zip(&self.kernel_size).any(|(&padding, &size)| padding > size / 2) {
            return fail(format!("the padding {:?} is more than half of a window", self.padding));
        }
        match x[2..].iter().position(|&extent| extent == 0) {
            Some(dim) => fail(format!("dimension {} has no elements", dim + 2)),
            None => Ok(()),
        }
    }

    fn misfit(&self, op: &'static str, x: &Shape, reason: String) -> ShapeError {
        ShapeError::pair(op, x, &Shape::new(&self.kernel_size), reason)
    }
}
