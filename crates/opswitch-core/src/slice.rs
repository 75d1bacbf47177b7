//! Ranges with a step, as NumPy reads `start:end:step`.

use crate::{error::ShapeError, shape::Shape};

/// A range of indices in one dimension, as NumPy reads `start:end:step`.
///
/// Negative bounds count from the end, `None` is an open end, and bounds outside the dimension are clamped. With a
/// negative step the range runs backwards.
///
/// ```
/// # use opswitch_core::Slice;
/// let every_other = Slice::new(Some(1), None, 2);
/// assert_eq!(every_other.resolve(6).len, 3); // 1, 3, 5
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The first index, or `None` for the first in the direction of the step.
    pub start: Option<isize>,
    /// The index before which the range stops, or `None` to go on to the last.
    pub end: Option<isize>,
    /// The distance between two indices. Never 0.
    pub step: isize,
}

/// The indices that a [`Slice`] takes in a dimension: `first + i * step` for `i` in `0..len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SliceIndices {
    /// The first index taken; 0 if there is none.
    pub first: usize,
    /// The distance between two indices.
    pub step: isize,
    /// How many indices are taken.
    pub len: usize,
}

impl Slice {
    /// The whole dimension.
    pub const FULL: Self = Self { start: None, end: None, step: 1 };

    /// The range `start:end:step`.
    ///
    /// # Panics
    ///
    /// If `step` is 0.
    #[track_caller]
    pub const fn new(start: Option<isize>, end: Option<isize>, step: isize) -> Self {
        assert!(step != 0, "the step of a slice cannot be 0");
        Self { start, end, step }
    }

    /// The indices that this range takes in a dimension of `extent`.
    pub fn resolve(self, extent: usize) -> SliceIndices {
        let extent = extent as isize;
        let (lowest, highest) = if self.step > 0 { (0, extent) } else { (-1, extent - 1) };
        let bound = |bound: Option<isize>, open: isize| {
            bound.map_or(open, |at| if at < 0 { at + extent } else { at }.clamp(lowest, highest))
        };
        let (open_start, open_end) = if self.step > 0 { (lowest, highest) } else { (highest, lowest) };
        let (start, end) = (bound(self.start, open_start), bound(self.end, open_end));
        let distance = if self.step > 0 { end - start } else { start - end };
        let len = if distance > 0 { (distance - 1) / self.step.abs() + 1 } else { 0 };
        let first = if len > 0 { start } else { 0 };
        SliceIndices { first: first as usize, step: self.step, len: len as usize }
    }
}

/// The indices that `slices` take in each dimension of `shape`; dimensions beyond the last slice are taken whole.
///
/// # Errors
///
/// If there are more slices than dimensions.
pub fn resolve_slices(
    op: &'static str,
    shape: &Shape,
    slices: &[Slice],
) -> Result<Vec<SliceIndices>, ShapeError> {
    if slices.len() > shape.rank() {
        let reason = format!("{} slices are given for {} dimensions", slices.len(), shape.rank());
        return Err(ShapeError::single(op, shape, reason));
    }
    let all = slices.iter().copied().chain(std::iter::repeat(Slice::FULL));
    Ok(all.zip(shape.iter()).map(|(slice, &extent)| slice.resolve(extent)).collect())
}

macro_rules! from_range {
    ($($range:ty: |$r:ident| $start:expr, $end:expr;)*) => {$(
        impl From<$range> for Slice {
            fn from($r: $range) -> Self {
                Self { start: $start, end: $end, step: 1 }
            }
        }
    )*};
}

from_range! {
    std::ops::Range<isize>: |range| Some(range.start), Some(range.end);
    std::ops::RangeFrom<isize>: |range| Some(range.start), None;
    std::ops::RangeTo<isize>: |range| None, Some(range.end);
    std::ops::RangeFull: |_range| None, None;
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected values are those of Python's `range(*slice(start, end, step).indices(extent))`.
    #[test]
    fn slices_resolve_as_numpy_resolves_them() {
        let taken = |start, end, step, extent| {
            let indices = Slice::new(start, end, step).resolve(extent);
            (0..indices.len as isize).map(|i| indices.first as isize + i * indices.step).collect::<Vec<_>>()
        };
        assert_eq!(taken(Some(1), Some(4), 1, 6), [1, 2, 3]);
        assert_eq!(taken(None, None, -1, 4), [3, 2, 1, 0]);
        assert_eq!(taken(Some(-2), None, 1, 5), [3, 4]);
        assert_eq!(taken(None, Some(-3), -2, 7), [6]);
        assert_eq!(taken(Some(4), Some(0), -2, 7), [4, 2]);
        assert_eq!(taken(Some(10), Some(20), 1, 5), [0; 0]);
        assert_eq!(taken(Some(3), Some(1), 1, 5), [0; 0]);
        assert_eq!(taken(None, None, 2, 0), [0; 0]);
    }
}
