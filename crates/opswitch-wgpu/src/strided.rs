//! How a kernel walks several strided tensors at once.

use opswitch_core::{Shape, layout::Layout};
use smallvec::SmallVec;

/// The parameters of a launch, in words of 32 bits.
pub(crate) type Words = SmallVec<[u32; 32]>;

/// The loops over a shape, innermost first, with the strides of up to three tensors in each. Neighbouring dimensions are
/// merged wherever every tensor lies in them as in one.
///
/// In a kernel they are the last fields of the parameters: `offsets: vec4<u32>` and `dims: array<vec4<u32>, 60>`, whose
/// `x` are extents. The number of loops goes to [`Launch::rank`](crate::Launch::rank). No shape that fits a device has more
/// than 32 loops, since each has an extent of at least 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loops {
    /// The extent, and the stride of each tensor. Negative strides wrap around, as additions in a kernel do.
    dims: SmallVec<[[u32; 4]; 4]>,
    offsets: [u32; 4],
}

/// Loops in which a step is four elements, next to each other in every tensor that does not stand still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VectorLoops {
    pub(crate) loops: Loops,
    /// Which tensors stand still in the innermost loop: they have one element for all four.
    pub(crate) is_still: [bool; 3],
}

/// Elements that a kernel takes at a time where it can.
pub(crate) const VECTOR: u32 = 4;

impl Loops {
    /// The loops over `shape`, to which every layout broadcasts.
    pub(crate) fn new<const N: usize>(shape: &Shape, layouts: [&Layout; N]) -> Self {
        const { assert!(N <= 3, "a loop has room for the strides of three tensors") };
        let mut loops = Self { dims: SmallVec::new(), offsets: [0; 4] };
        for (offset, layout) in loops.offsets[1..].iter_mut().zip(layouts) {
            *offset = layout.offset() as u32;
        }
        for (dim, &extent) in shape.iter().enumerate().rev() {
            let mut entry = [extent as u32, 0, 0, 0];
            for (stride, layout) in entry[1..].iter_mut().zip(layouts) {
                *stride = broadcast_stride(layout, shape.rank(), dim) as u32;
            }
            loops.push(entry);
        }
        if loops.dims.is_empty() {
            loops.dims.push([1, 0, 0, 0]);
        }
        loops
    }

    /// One loop in which every tensor lies without gaps.
    pub(crate) fn flat<const N: usize>(layouts: [&Layout; N]) -> Self {
        let len = layouts[0].num_elements();
        let mut loops = Self { dims: SmallVec::from_elem([len as u32, 0, 0, 0], 1), offsets: [0; 4] };
        for (tensor, layout) in (1..).zip(layouts) {
            loops.dims[0][tensor] = 1;
            loops.offsets[tensor] = layout.offset() as u32;
        }
        loops
    }

    /// These loops with four elements a step, if each tensor has them next to each other, at a multiple of four. The last
    /// step may go beyond the end, where buffers have padding.
    pub(crate) fn vectors(&self) -> Option<VectorLoops> {
        let fits = |count: u32| (count as i32).rem_euclid(VECTOR as i32) == 0;
        let mut loops = self.clone();
        let mut is_still = [true; 3];
        if self.dims.len() > 1 && !fits(self.dims[0][0]) {
            return None;
        }
        loops.dims[0][0] = self.dims[0][0].div_ceil(VECTOR);
        for tensor in 1..4 {
            match self.dims[0][tensor] {
                0 => continue,
                1 => is_still[tensor - 1] = false,
                _ => return None,
            }
            let outer = loops.dims[1..].iter_mut().map(|dim| &mut dim[tensor]);
            for place in outer.chain([&mut loops.offsets[tensor]]) {
                if !fits(*place) {
                    return None;
                }
                *place = (*place as i32 / VECTOR as i32) as u32;
            }
        }
        (is_still != [true; 3]).then_some(VectorLoops { loops, is_still })
    }

    /// The number of steps of all loops.
    pub(crate) fn steps(&self) -> usize {
        self.dims.iter().map(|dim| dim[0] as usize).product()
    }

    /// An outer loop, or more steps of the outermost one if these strides continue it.
    fn push(&mut self, entry: [u32; 4]) {
        if entry[0] == 1 {
            return;
        }
        match self.dims.last_mut() {
            Some(last) if (1..4).all(|tensor| entry[tensor] == last[tensor].wrapping_mul(last[0])) => {
                // It wraps around only for a result that no memory holds, whose kernel never runs.
                last[0] = last[0].wrapping_mul(entry[0]);
            }
            _ => self.dims.push(entry),
        }
    }

    /// The number of loops, at least 1.
    pub(crate) fn rank(&self) -> u32 {
        self.dims.len() as u32
    }

    /// Appends `offsets` and `dims`, which start at a multiple of four words.
    pub(crate) fn append_to(&self, words: &mut Words) {
        words.resize(words.len().next_multiple_of(4), 0);
        words.extend_from_slice(&self.offsets);
        words.extend(self.dims.iter().flatten().copied());
    }
}

/// The stride of a layout in dimension `dim` of a shape of `rank` that it broadcasts to.
fn broadcast_stride(layout: &Layout, rank: usize, dim: usize) -> isize {
    match (dim + layout.shape().rank()).checked_sub(rank) {
        Some(own) if layout.shape()[own] != 1 => layout.strides()[own],
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_that_lie_as_one_are_merged() {
        let layout = Layout::contiguous([2, 3, 4].into());
        let loops = Loops::new(layout.shape(), [&layout]);
        assert_eq!(loops.dims.as_slice(), [[24, 1, 0, 0]]);
        let transposed = layout.permute(&[2, 0, 1]);
        let loops = Loops::new(transposed.shape(), [&transposed]);
        assert_eq!(loops.dims.as_slice(), [[6, 4, 0, 0], [4, 1, 0, 0]]);
    }

    #[test]
    fn what_is_repeated_has_stride_zero() {
        let (matrix, row) = (Layout::contiguous([2, 3].into()), Layout::contiguous([3].into()));
        let loops = Loops::new(matrix.shape(), [&matrix, &row]);
        assert_eq!(loops.dims.as_slice(), [[3, 1, 1, 0], [2, 3, 0, 0]]);
    }

    #[test]
    fn four_neighbours_are_one_step() {
        let (matrix, row) = (Layout::contiguous([2, 8].into()), Layout::contiguous([8].into()));
        let vectors = Loops::new(matrix.shape(), [&matrix, &row]).vectors().unwrap();
        assert_eq!(vectors.loops.dims.as_slice(), [[2, 1, 1, 0], [2, 2, 0, 0]]);
        assert_eq!(vectors.is_still, [false, false, true]);

        let column = Layout::contiguous([2, 1].into());
        let vectors = Loops::new(matrix.shape(), [&matrix, &column]).vectors().unwrap();
        assert_eq!(vectors.loops.dims.as_slice(), [[2, 1, 0, 0], [2, 2, 1, 0]]);
        assert_eq!(vectors.is_still, [false, true, true]);

        let flat = Loops::flat([&Layout::contiguous([7].into())]).vectors().unwrap();
        assert_eq!(flat.loops.steps(), 2);
    }

    #[test]
    fn what_is_not_at_a_multiple_of_four_is_taken_one_by_one() {
        let narrow = Layout::contiguous([2, 7].into()).held(0, 2);
        assert_eq!(Loops::new(narrow.shape(), [&narrow]).vectors(), None);
        let reversed = Layout::contiguous([8].into()).flip(&[0]);
        assert_eq!(Loops::new(reversed.shape(), [&reversed]).vectors(), None);
        let shifted = opswitch_core::SliceIndices { first: 1, step: 1, len: 4 };
        let shifted = Layout::contiguous([8].into()).slice(&[shifted]);
        assert_eq!(Loops::new(shifted.shape(), [&shifted]).vectors(), None);
    }

    #[test]
    fn offsets_stand_at_a_multiple_of_four_words() {
        let layout = Layout::contiguous([4].into()).flip(&[0]);
        let mut words = Words::from_slice(&[7]);
        Loops::new(layout.shape(), [&layout]).append_to(&mut words);
        assert_eq!(words.as_slice(), [7, 0, 0, 0, 0, 3, 0, 0, 4, u32::MAX, 0, 0]);
    }
}
