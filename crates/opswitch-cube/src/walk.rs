//! The way of a kernel over tensors that are not in row-major order.

use cubecl::{prelude::*, std::FastDivmod};
use opswitch_core::{Shape, layout::Layout};
use smallvec::{SmallVec, smallvec};

type Dims = SmallVec<[u32; 4]>;

/// Loops over the elements of `N` tensors of one shape, with as few dimensions as their strides allow.
pub(crate) struct Walk<const N: usize> {
    extents: Dims,
    strides: [Dims; N],
    offsets: [u32; N],
}

impl<const N: usize> Walk<N> {
    /// The way over tensors that broadcast to `shape`.
    pub(crate) fn new(shape: &Shape, layouts: [&Layout; N]) -> Self {
        let layouts = layouts.map(|layout| layout.expand(shape.clone()));
        let offsets = std::array::from_fn(|tensor| layouts[tensor].offset() as u32);
        let mut walk = Self { extents: Dims::new(), strides: [const { Dims::new_const() }; N], offsets };
        for (dim, &extent) in shape.iter().enumerate() {
            if extent != 1 {
                walk.push(extent as u32, std::array::from_fn(|tensor| layouts[tensor].strides()[dim] as u32));
            }
        }
        if walk.extents.is_empty() {
            walk.push(1, [0; N]);
        }
        walk
    }

    /// Adds an inner dimension, or makes it one with the last where every tensor lies as if it were. Strides wrap around, as
    /// they do in kernels: a negative one is a large one.
    fn push(&mut self, extent: u32, strides: [u32; N]) {
        let continues = |tensor: usize| {
            self.strides[tensor].last().is_some_and(|&outer| outer == strides[tensor].wrapping_mul(extent))
        };
        if (0..N).all(continues) {
            *self.extents.last_mut().expect("there is a stride, so there is an extent") *= extent;
            for (dims, stride) in self.strides.iter_mut().zip(strides) {
                *dims.last_mut().expect("each tensor has a stride for each extent") = stride;
            }
        } else {
            self.extents.push(extent);
            for (dims, stride) in self.strides.iter_mut().zip(strides) {
                dims.push(stride);
            }
        }
    }

    /// The extents, as an argument of a kernel.
    pub(crate) fn extents(&self) -> SequenceArg<FastDivmod<u32>> {
        self.extents.iter().copied().collect_arg()
    }

    /// The strides of a tensor, and then the position of its first element, as an argument of a kernel.
    pub(crate) fn strides(&self, tensor: usize) -> SequenceArg<u32> {
        let offset: SmallVec<[u32; 1]> = smallvec![self.offsets[tensor]];
        self.strides[tensor].iter().chain(&offset).copied().collect_arg()
    }
}

/// `SequenceArg` implements `FromIterator` for runtime and for compiled arguments, and the compiler asks which.
trait CollectArg: Iterator<Item = u32> + Sized {
    fn collect_arg<T: LaunchArg<RuntimeArg = u32>>(self) -> SequenceArg<T> {
        SequenceArg { values: self.collect() }
    }
}

impl<I: Iterator<Item = u32>> CollectArg for I {}

/// Where element `index` lies; `strides` ends with the position of the first.
#[cube]
pub(crate) fn position(index: u32, extents: &Sequence<FastDivmod<u32>>, strides: &Sequence<u32>) -> usize {
    let rank = extents.len().comptime();
    let mut rest = index;
    let mut position = strides[rank];
    #[unroll]
    for i in 0..rank {
        let dim = comptime!(rank - i - 1);
        let (outer, inner) = extents[dim].div_mod(rest);
        position += inner * strides[dim];
        rest = outer;
    }
    usize::cast_from(position)
}
