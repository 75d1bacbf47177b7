//! `BoolOps`.

use opswitch::{
    Shape, Slice,
    ops::{BoolOps, PadMode},
};
use opswitch_testing::{
    BoolInput, Sample, boolean, device, float_dtype, int, int_dtype, list, parameter, sample,
};

use crate::Dispatch;

fn two() -> [Sample<(BoolInput, BoolInput)>; 2] {
    [
        sample!(boolean([3, 4]), boolean([3, 4])),
        sample!(boolean([2, 3, 4]), boolean([3, 1])).named("broadcast"),
    ]
}

fn reduced() -> [Sample<(BoolInput, &'static [usize], bool)>; 3] {
    [
        sample!(boolean([2, 3, 4]), list(&[1]), false),
        sample!(boolean([2, 3, 4]), list(&[0, 2]), true).named("two dimensions, kept"),
        sample!(boolean([2, 3]), list(&[0, 1]), false).named("all dimensions"),
    ]
}

opswitch_testing::conformance! { Dispatch, BoolOps {
    bool_full { |shape, value, device| Dispatch::bool_full(shape, value, &device) } => [
        sample!(Shape::from([2, 3]), true, device()),
        sample!(Shape::from([0]), false, device()).named("no elements"),
    ];
    bool_reshape(x, shape) => [sample!(boolean([2, 6]), Shape::from([3, 4]))];
    bool_permute(x, axes) => [sample!(boolean([2, 3, 4]), list(&[2, 0, 1]))];
    bool_swap_dims(x, dim1, dim2) => [sample!(boolean([2, 3, 4]), 0usize, 2usize)];
    bool_expand(x, shape) => [sample!(boolean([3, 1]), Shape::from([2, 3, 4]))];
    bool_flip(x, dims) => [sample!(boolean([2, 3, 4]), list(&[0, 2]))];
    bool_slice(x, slices) => [sample!(boolean([5, 6]), STEPS)];
    bool_slice_assign { |x, slices, value| Dispatch::bool_slice_assign(x, slices, value) } => [
        sample!(boolean([5, 6]), STEPS, boolean([2, 3])),
        sample!(boolean([5, 6]), STEPS, boolean([])).named("a single one"),
    ];
    bool_repeat(x, times) => [
        sample!(boolean([2, 3]), list(&[3, 2])),
        sample!(boolean([2, 3]), list(&[0, 1])).named("not at all"),
    ];
    bool_pad { |x, pads, mode| Dispatch::bool_pad(x, &pads, mode) } => [
        sample!(boolean([2, 3]), parameter(vec![(1, 0), (2, 1)]), parameter(PadMode::Constant(true))),
        sample!(boolean([3, 4]), parameter(vec![(2, 1), (0, 3)]), parameter(PadMode::Reflect)).named("reflected"),
        sample!(boolean([2, 3]), parameter(vec![(1, 2), (0, 4)]), parameter(PadMode::Replicate)).named("replicated"),
    ];
    bool_unfold(x, dim, size, step) => [sample!(boolean([2, 7]), 1usize, 3usize, 2usize)];
    bool_cat(tensors, dim) => [sample!(vec![boolean([2, 3]), boolean([2, 3])], 1usize)];
    bool_into_int(x, dtype) => [sample!(boolean([3, 4]), int_dtype())];
    bool_into_float(x, dtype) => [sample!(boolean([3, 4]), float_dtype())];
    bool_not(x) => [sample!(boolean([3, 4])), sample!(boolean([])).named("a single one")];
    bool_and(lhs, rhs) => two();
    bool_or(lhs, rhs) => two();
    bool_xor(lhs, rhs) => two();
    bool_eq(lhs, rhs) => two();
    bool_ne(lhs, rhs) => two();
    bool_any(x, dims, keep_dims) => reduced();
    bool_all(x, dims, keep_dims) => reduced();
    bool_gather(x, dim, index) => [sample!(boolean([3, 4]), 1usize, int([3, 2]).range(0, 4))];
    bool_select(x, dim, index) => [sample!(boolean([3, 4]), 1usize, int([6]).range(0, 4))];
    bool_mask_where(x, mask, value) => [
        sample!(boolean([3, 4]), boolean([3, 4]), boolean([3, 4])),
        sample!(boolean([4]), boolean([3, 1]), boolean([])).named("broadcast"),
    ];
    bool_mask_fill(x, mask, value) => [
        sample!(boolean([3, 4]), boolean([3, 1]), true),
        sample!(boolean([4]), boolean([3, 4]), false).named("with false"),
    ];
}}

/// Two of five from the second on, backwards, and every other of six.
const STEPS: &[Slice] = &[Slice::new(Some(3), Some(1), -1), Slice::new(None, None, 2)];
