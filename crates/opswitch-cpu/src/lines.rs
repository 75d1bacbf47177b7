//! Where the windows of convolution and pooling read their input.

use std::ops::Range;

use opswitch_core::ops::{Convolution, PoolWindows};

/// The elements that windows read, as pieces of lines: windows that follow each other in the last dimension read one
/// element of the kernel `stride` apart in one line of the input.
pub(crate) struct Lines {
    /// For each element of the kernel but for its last dimension, and each line of windows: where in the plane of a
    /// channel the line starts that it reads, if not in the padding.
    starts: Vec<Option<usize>>,
    /// For each element of the kernel in its last dimension, the windows whose element is not in the padding.
    pieces: Vec<Piece>,
    /// The number of lines of windows.
    pub(crate) count: usize,
    /// The number of windows in a line.
    pub(crate) width: usize,
    /// The distance of two windows in a line.
    pub(crate) stride: usize,
}

/// Windows of a line, and the position in the line of the input that the first of them reads.
struct Piece {
    windows: Range<usize>,
    first: usize,
}

impl Lines {
    /// The lines of the `windows` of a convolution in an input of `size`.
    pub(crate) fn of_conv(
        size: &[usize],
        windows: &[usize],
        kernel: &[usize],
        options: &Convolution,
    ) -> Self {
        let Convolution { stride, padding, dilation, .. } = options;
        Self::new(size, windows, kernel, Steps { stride, padding, dilation })
    }

    /// The lines of the `windows` of pooling in an input of `size`.
    pub(crate) fn of_pool(size: &[usize], windows: &[usize], options: &PoolWindows) -> Self {
        let PoolWindows { kernel_size, stride, padding, dilation, .. } = options;
        Self::new(size, windows, kernel_size, Steps { stride, padding, dilation })
    }

    fn new(size: &[usize], windows: &[usize], kernel: &[usize], steps: Steps<'_>) -> Self {
        let (last, outer) = match size.len().checked_sub(1) {
            Some(last) => (Some(last), last),
            None => (None, 0),
        };
        let mut starts = vec![Some(0)];
        let mut count = 1;
        for dim in 0..outer {
            starts = with_dim(&starts, count, (size[dim], windows[dim], kernel[dim]), |window, element| {
                steps.inside(dim, size[dim], window, element)
            });
            count *= windows[dim];
        }
        let Some(last) = last else {
            let pieces = vec![Piece { windows: 0..1, first: 0 }];
            return Self { starts, pieces, count, width: 1, stride: 1 };
        };
        starts.iter_mut().flatten().for_each(|start| *start *= size[last]);
        let (width, stride) = (windows[last], steps.stride[last]);
        let piece = |element: usize| {
            let is_inside = |window: &usize| steps.inside(last, size[last], *window, element).is_some();
            let first = (0..width).find(is_inside).unwrap_or(0);
            let end = (first..width).find(|window| !is_inside(window)).unwrap_or(width);
            let position = steps.inside(last, size[last], first, element).unwrap_or(0);
            Piece { windows: first..end, first: position }
        };
        let pieces = (0..kernel[last]).map(piece).collect();
        Self { starts, pieces, count, width, stride }
    }

    /// Calls `read` for the part of each of `lines` that is not in the padding for element `element` of the kernel: the
    /// windows, counted from the first of all `lines`, and where in the plane the first of them reads.
    #[inline]
    pub(crate) fn each(
        &self,
        element: usize,
        lines: Range<usize>,
        mut read: impl FnMut(Range<usize>, usize),
    ) {
        let piece = &self.pieces[element % self.pieces.len()];
        let Range { start, end } = piece.windows;
        let starts = &self.starts[element / self.pieces.len() * self.count..][lines];
        for (line, from) in starts.iter().enumerate() {
            if let Some(from) = from {
                read(line * self.width + start..line * self.width + end, from + piece.first);
            }
        }
    }
}

/// Starts of lines with one more dimension inside, of which extent, number of windows and of elements are given.
fn with_dim(
    starts: &[Option<usize>],
    count: usize,
    (extent, windows, kernel): (usize, usize, usize),
    inside: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<Option<usize>> {
    let mut next = Vec::with_capacity(starts.len() * windows * kernel);
    for lines in starts.chunks(count.max(1)) {
        for element in 0..kernel {
            for start in lines {
                next.extend((0..windows).map(|window| Some((*start)? * extent + inside(window, element)?)));
            }
        }
    }
    next
}

/// How windows are laid.
#[derive(Clone, Copy)]
struct Steps<'a> {
    stride: &'a [usize],
    padding: &'a [usize],
    dilation: &'a [usize],
}

impl Steps<'_> {
    /// The position in a dimension that an element of a window reads, if it is not in the padding.
    fn inside(self, dim: usize, extent: usize, window: usize, element: usize) -> Option<usize> {
        let position = window * self.stride[dim] + element * self.dilation[dim];
        position.checked_sub(self.padding[dim]).filter(|&position| position < extent)
    }
}
