//! How a kernel walks several strided tensors at once.

use opswitch_core::{Shape, layout::Layout};
use smallvec::SmallVec;

/// The parameters of a launch, in words of 32 bits.
pub(crate) type Words = SmallVec<[u32; 32]>;

/// The loops over a shape, innermost first, with the strides of up to three tensors in each. Neighbouring dimensions are
/// merged wherever every tensor lies in them as in one.
///
/// In a kernel they are the last fields of the parameters: the number of loops first, where the kernel wants it, then
/// `offsets: vec4<u32>` and `dims: array<vec4<u32>, 60>`, whose `x` are extents. More than 32 loops have no shape that
/// fits a device, since each has an extent of at least 2.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Loops {
    /// The extent, and the stride of each tensor. Negative strides wrap around, as additions in a kernel do.
    dims: SmallVec<[[u32; 4]; 4]>,
    offsets: [u32; 4],
}

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
        loops
    }

    /// An outer loop, or more steps of the outermost one if these strides continue it.
    fn push(&mut self, entry: [u32; 4]) {
        if entry[0] == 1 {
            return;
        }
        match self.dims.last_mut() {
            Some(last) if (1..4).all(|tensor| entry[tensor] == last[tensor].wrapping_mul(last[0])) => {
                last[0] *= entry[0];
            }
            _ => self.dims.push(entry),
        }
    }

    /// The number of loops, 0 for a single element.
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
    fn offsets_stand_at_a_multiple_of_four_words() {
        let layout = Layout::contiguous([4].into()).flip(&[0]);
        let mut words = Words::from_slice(&[7]);
        Loops::new(layout.shape(), [&layout]).append_to(&mut words);
        assert_eq!(words.as_slice(), [7, 0, 0, 0, 0, 3, 0, 0, 4, u32::MAX, 0, 0]);
    }
}
