//! Parts of tensors: ranges with steps, as NumPy reads `start:end:step`.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};

use opswitch_core::{Backend, ShapeError, Slice, TensorHandle, raise};

use super::{KindOps, Tensor};

/// What is taken of one dimension: `..`, a range of `usize`, `isize` or `i32`, or a [`Slice`].
///
/// Negative bounds count from the end, and bounds outside the dimension are clamped.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what to take of a dimension",
    label = "not a range",
    note = "write `1..3`, `..-1`, `..`, or `s![..;2]` for a step; one index `i` is the range `i..i + 1`"
)]
pub trait SliceArg {
    /// The range with its step.
    fn into_slice(self) -> Slice;
}

/// What is taken of the leading dimensions: one range, a tuple of ranges, or an array as [`s!`](crate::s) makes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what to take of the dimensions",
    label = "neither a range nor a tuple or array of ranges",
    note = "write `x.slice(1..3)`, `x.slice((1..3, ..))` or `x.slice(s![1..3, ..;2])`"
)]
pub trait SliceArgs {
    /// The ranges with their steps.
    fn into_slices(self) -> Vec<Slice>;
}

/// Ranges with steps for [`Tensor::slice`]: `s![1..3, .., ..;-1]` is NumPy's `[1:3, :, ::-1]`.
///
/// ```
/// use opswitch::{Int, Tensor, s};
///
/// let x = Tensor::<1, Int>::arange(0..12, &Default::default()).reshape([3, 4]);
/// assert_eq!(x.slice(s![1.., ..;-2]).to_string(), "[[ 7  5]\n [11  9]]");
/// ```
#[macro_export]
macro_rules! s {
    ($($range:expr $(; $step:expr)?),* $(,)?) => {
        [$($crate::s!(@slice $range $(; $step)?)),*]
    };
    (@slice $range:expr) => {
        $crate::SliceArg::into_slice($range)
    };
    (@slice $range:expr; $step:expr) => {{
        // A range that runs backwards is what a negative step asks for.
        #[allow(clippy::reversed_empty_ranges)]
        let range = $crate::SliceArg::into_slice($range);
        $crate::Slice::new(range.start, range.end, $step)
    }};
}

impl<const D: usize, K: KindOps<B>, B: Backend> Tensor<D, K, B> {
    /// The elements that `ranges` take; dimensions beyond the last range are taken whole. The rank stays.
    ///
    /// # Panics
    ///
    /// If there are more ranges than dimensions.
    #[track_caller]
    pub fn slice(self, ranges: impl SliceArgs) -> Self {
        let slices = self.check_slices("slice", ranges);
        Self::wrap(K::slice(self.primitive, &slices))
    }

    /// This tensor with the elements that `ranges` take replaced by `value`, which broadcasts to their shape.
    ///
    /// # Panics
    ///
    /// If there are more ranges than dimensions, or `value` does not broadcast.
    #[track_caller]
    pub fn slice_assign(self, ranges: impl SliceArgs, value: Self) -> Self {
        let slices = self.check_slices("slice_assign", ranges);
        Self::wrap(K::slice_assign(self.primitive, &slices, value.primitive))
    }

    /// The ranges, of which there are no more than dimensions.
    #[track_caller]
    fn check_slices(&self, op: &'static str, ranges: impl SliceArgs) -> Vec<Slice> {
        let slices = ranges.into_slices();
        if slices.len() > D {
            let reason = format!("{} ranges are given for {D} dimensions", slices.len());
            raise(&ShapeError::single(op, &self.primitive.shape(), reason))
        }
        slices
    }
}

impl SliceArg for Slice {
    fn into_slice(self) -> Slice {
        self
    }
}

impl SliceArg for RangeFull {
    fn into_slice(self) -> Slice {
        Slice::FULL
    }
}

macro_rules! ranges {
    ($($ty:ty)*) => {$(
        impl SliceArg for Range<$ty> {
            fn into_slice(self) -> Slice {
                Slice::from(self.start as isize..self.end as isize)
            }
        }

        impl SliceArg for RangeFrom<$ty> {
            fn into_slice(self) -> Slice {
                Slice::from(self.start as isize..)
            }
        }

        impl SliceArg for RangeTo<$ty> {
            fn into_slice(self) -> Slice {
                Slice::from(..self.end as isize)
            }
        }

        impl SliceArg for RangeInclusive<$ty> {
            /// The last index -1 has no index after it: that end is open.
            fn into_slice(self) -> Slice {
                let (start, last) = self.into_inner();
                let end = (last as isize).checked_add(1).filter(|&end| end != 0);
                Slice::new(Some(start as isize), end, 1)
            }
        }
    )*};
}

ranges!(usize isize i32);

impl<T: SliceArg> SliceArgs for T {
    fn into_slices(self) -> Vec<Slice> {
        vec![self.into_slice()]
    }
}

impl<T: SliceArg, const N: usize> SliceArgs for [T; N] {
    fn into_slices(self) -> Vec<Slice> {
        self.map(SliceArg::into_slice).into()
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: SliceArg),+> SliceArgs for ($($name,)+) {
            #[allow(non_snake_case, reason = "each field is named after its type")]
            fn into_slices(self) -> Vec<Slice> {
                let ($($name,)+) = self;
                vec![$($name.into_slice()),+]
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}
