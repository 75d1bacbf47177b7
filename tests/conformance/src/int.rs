//! `IntOps`.

use opswitch::{
    DType, Shape, Slice,
    ops::{IntOps, PadMode},
};
use opswitch_testing::{
    IntInput, Sample, boolean, device, float_dtype, int, int_dtype, ints, list, parameter, sample,
};

use crate::Dispatch;

fn one() -> [Sample<(IntInput,)>; 3] {
    [
        sample!(int([3, 4])),
        sample!(int([])).named("a single number"),
        sample!(ints([i64::from(i32::MIN), i64::from(i32::MAX), 0], [3]).dtype(DType::I32))
            .named("the ends of i32"),
    ]
}

fn two() -> [Sample<(IntInput, IntInput)>; 3] {
    [
        sample!(int([3, 4]), int([3, 4])),
        sample!(int([2, 3, 4]), int([3, 1])).named("broadcast"),
        sample!(
            ints([i64::from(i32::MIN), i64::from(i32::MAX), 1 << 20], [3]).dtype(DType::I32),
            ints([-1, 1, 1 << 20], [3]).dtype(DType::I32)
        )
        .named("beyond the ends of i32"),
    ]
}

/// Without a divisor of 0; every sign with every sign.
fn divided() -> [Sample<(IntInput, IntInput)>; 2] {
    [
        sample!(ints([7, -7, 7, -7, 0, 6], [2, 3]), ints([2, 2, -2, -2, 5, 3], [2, 3])),
        sample!(int([4, 3]), ints([3, -4, 1], [3])).named("broadcast"),
    ]
}

fn with(scalar: i64) -> [Sample<(IntInput, i64)>; 2] {
    [
        sample!(int([3, 4]), scalar),
        sample!(ints([i64::from(i32::MAX), -7, 0], [3]).dtype(DType::I32), scalar).named("the end of i32"),
    ]
}

/// By every amount that is special: none, the most that leaves a bit, as many as there are bits, more, and less than none.
fn shifted() -> [Sample<(IntInput, IntInput)>; 3] {
    let numbers = [-7, -7, 5, -1, 5, -7, 1, i64::from(i32::MIN)];
    [
        sample!(int([2, 3, 4]), int([3, 1]).range(0, 20)).named("broadcast"),
        sample!(
            ints(numbers, [8]).dtype(DType::I32),
            ints([0, 31, 32, 32, 100, -1, 31, 31], [8]).dtype(DType::I32)
        )
        .named("the bits of i32"),
        sample!(
            ints([5, 5, 1 << 31, 1 << 31], [4]).dtype(DType::U32),
            ints([1, 32, 31, i64::from(u32::MAX)], [4]).dtype(DType::U32)
        )
        .named("the bits of u32"),
    ]
}

fn shifted_by(amount: i64) -> [Sample<(IntInput, i64)>; 4] {
    [
        sample!(int([3, 4]), amount),
        sample!(ints([i64::from(i32::MAX), -7, 0], [3]).dtype(DType::I32), -1i64).named("less than none"),
        sample!(ints([i64::from(i32::MAX), -7, 0], [3]).dtype(DType::I32), 1i64 << 32).named("many"),
        sample!(ints([5, 1 << 31], [2]).dtype(DType::U32), 32i64).named("as many as u32 has"),
    ]
}

/// The first of equal elements; whole numbers that are one `f32`; the ends.
fn along() -> [Sample<(IntInput, usize, bool)>; 4] {
    let large = i64::from(i32::MAX);
    [
        sample!(int([2, 3, 4]), 1usize, false),
        sample!(int([300]).range(-3, 3), 0usize, true).named("many ties"),
        sample!(ints([large - 2, large, large - 1, large, -large - 1, -large], [6]), 0usize, false)
            .named("not through floats"),
        sample!(ints([1 << 31, 3, 1, 1 << 31], [4]).dtype(DType::U32), 0usize, false).named("unsigned"),
    ]
}

fn reduced() -> [Sample<(IntInput, &'static [usize], bool)>; 3] {
    [
        sample!(int([2, 3, 4]), list(&[1]), false),
        sample!(int([2, 3, 4]), list(&[0, 2]), true).named("two dimensions, kept"),
        sample!(int([300]), list(&[0]), false).named("many elements"),
    ]
}

opswitch_testing::conformance! { Dispatch, IntOps {
    int_zeros { |shape, dtype, device| Dispatch::int_zeros(shape, dtype, &device) } => [
        sample!(Shape::from([2, 3]), int_dtype(), device()),
    ];
    int_ones { |shape, dtype, device| Dispatch::int_ones(shape, dtype, &device) } => [
        sample!(Shape::from([2, 3]), int_dtype(), device()),
        sample!(Shape::from([0]), int_dtype(), device()).named("no elements"),
    ];
    int_full { |shape, value, dtype, device| Dispatch::int_full(shape, value, dtype, &device) } => [
        sample!(Shape::from([2, 3]), -7i64, int_dtype(), device()),
    ];
    int_arange {
        |start, end, step, dtype, device| Dispatch::int_arange(start, end, step, dtype, &device)
    } => [
        sample!(2i64, 9i64, 3i64, int_dtype(), device()),
        sample!(5i64, -2i64, -2i64, int_dtype(), device()).named("downwards"),
        sample!(5i64, 5i64, 1i64, int_dtype(), device()).named("nothing"),
    ];
    int_reshape(x, shape) => [sample!(int([2, 6]), Shape::from([3, 4]))];
    int_permute(x, axes) => [sample!(int([2, 3, 4]), list(&[2, 0, 1]))];
    int_swap_dims(x, dim1, dim2) => [sample!(int([2, 3, 4]), 0usize, 2usize)];
    int_expand(x, shape) => [sample!(int([3, 1]), Shape::from([2, 3, 4]))];
    int_flip(x, dims) => [sample!(int([2, 3, 4]), list(&[0, 2]))];
    int_slice(x, slices) => [sample!(int([5, 6]), STEPS)];
    int_slice_assign { |x, slices, value| Dispatch::int_slice_assign(x, slices, value) } => [
        sample!(int([5, 6]), STEPS, int([2, 3])),
        sample!(int([5, 6]), STEPS, int([])).named("a single number"),
    ];
    int_repeat(x, times) => [
        sample!(int([2, 3]), list(&[3, 2])),
        sample!(int([2, 3]), list(&[0, 1])).named("not at all"),
    ];
    int_pad { |x, pads, mode| Dispatch::int_pad(x, &pads, mode) } => [
        sample!(int([2, 3]), parameter(vec![(1, 0), (2, 1)]), parameter(PadMode::Constant(-7i64))),
        sample!(int([3, 4]), parameter(vec![(2, 1), (0, 3)]), parameter(PadMode::Reflect)).named("reflected"),
        sample!(int([2, 3]), parameter(vec![(1, 2), (0, 4)]), parameter(PadMode::Replicate)).named("replicated"),
    ];
    int_unfold(x, dim, size, step) => [sample!(int([2, 7]), 1usize, 3usize, 2usize)];
    int_cat(tensors, dim) => [sample!(vec![int([2, 3]), int([2, 3])], 1usize)];
    int_cast(x, dtype) => [
        sample!(int([2, 3]), DType::I32),
        sample!(ints([(1 << 40) + 5, -1], [2]), DType::I32).named("what wraps around"),
    ];
    int_into_float(x, dtype) => [sample!(int([2, 3]), float_dtype())];
    int_into_bool(x) => [sample!(ints([0, 1, -1, 5], [4]))];
    int_neg(x) => one();
    int_abs(x) => one();
    int_sign(x) => one();
    int_bitwise_not(x) => one();
    int_add(lhs, rhs) => two();
    int_sub(lhs, rhs) => two();
    int_mul(lhs, rhs) => two();
    int_div(lhs, rhs) => divided();
    int_rem(lhs, rhs) => divided();
    int_add_scalar(x, scalar) => with(3);
    int_sub_scalar(x, scalar) => with(-3);
    int_mul_scalar(x, scalar) => with(-3);
    int_div_scalar(x, scalar) => with(-3);
    int_rem_scalar(x, scalar) => with(-3);
    int_bitwise_and(lhs, rhs) => two();
    int_bitwise_or(lhs, rhs) => two();
    int_bitwise_xor(lhs, rhs) => two();
    int_bitwise_and_scalar(x, scalar) => with(-6);
    int_bitwise_or_scalar(x, scalar) => with(-6);
    int_bitwise_xor_scalar(x, scalar) => with(-6);
    int_shift_left(lhs, rhs) => shifted();
    int_shift_right(lhs, rhs) => shifted();
    int_shift_left_scalar(x, scalar) => shifted_by(3);
    int_shift_right_scalar(x, scalar) => shifted_by(1);
    int_eq(lhs, rhs) => compared();
    int_ne(lhs, rhs) => compared();
    int_lt(lhs, rhs) => compared();
    int_le(lhs, rhs) => compared();
    int_gt(lhs, rhs) => compared();
    int_ge(lhs, rhs) => compared();
    int_eq_scalar(x, scalar) => with(-7);
    int_ne_scalar(x, scalar) => with(-7);
    int_lt_scalar(x, scalar) => with(-7);
    int_le_scalar(x, scalar) => with(-7);
    int_gt_scalar(x, scalar) => with(-7);
    int_ge_scalar(x, scalar) => with(-7);
    int_sum(x, dims, keep_dims) => reduced();
    int_prod(x, dims, keep_dims) => [
        sample!(int([2, 3, 4]), list(&[1]), false),
        sample!(int([2, 3, 4]).range(-3, 4), list(&[0, 2]), true).named("two dimensions, kept"),
        sample!(int([300]).dtype(DType::I32), list(&[0]), false).named("past the end of i32"),
        sample!(int([2, 0, 3]), list(&[1]), false).named("nothing"),
    ];
    int_cumsum(x, dim) => [
        sample!(int([2, 7, 3]), 1usize),
        sample!(int([300]), 0usize).named("many elements"),
        sample!(ints([i64::from(i32::MAX), 1, 1], [3]).dtype(DType::I32), 0usize).named("past the end of i32"),
    ];
    int_max(x, dims, keep_dims) => reduced();
    int_min(x, dims, keep_dims) => reduced();
    int_argmax(x, dim, keep_dims) => along();
    int_argmin(x, dim, keep_dims) => along();
    int_any(x, dims, keep_dims) => of_zeros();
    int_all(x, dims, keep_dims) => of_zeros();
    int_gather(x, dim, index) => [sample!(int([3, 4]), 1usize, int([3, 2]).range(0, 4))];
    int_scatter_add(x, dim, index, src) => [
        sample!(int([3, 4]), 1usize, int([3, 2]).range(0, 4), int([3, 2])),
        sample!(
            ints([i64::from(i32::MAX), 0, 0], [3]).dtype(DType::I32),
            0usize,
            ints([0, 0, 0], [3]),
            ints([1, (1 << 24) + 1, 1], [3]).dtype(DType::I32)
        )
        .named("one place three times, past the end of i32"),
    ];
    int_select(x, dim, index) => [sample!(int([3, 4]), 1usize, int([6]).range(0, 4))];
    int_select_add(x, dim, index, src) => [
        sample!(int([3, 4]), 1usize, ints([3, 0, 3], [3]), int([3, 3])),
    ];
    int_mask_where(x, mask, value) => [
        sample!(int([3, 4]), boolean([3, 4]), int([3, 4])),
        sample!(int([4]), boolean([3, 1]), int([])).named("broadcast"),
    ];
    int_mask_fill(x, mask, value) => [sample!(int([3, 4]), boolean([3, 1]), -7i64)];
    int_one_hot(index, num_classes, dtype) => [sample!(int([2, 3]).range(0, 4), 4usize, int_dtype())];
}}

fn of_zeros() -> [Sample<(IntInput, &'static [usize], bool)>; 2] {
    [
        sample!(int([2, 3, 4]).range(-1, 2), list(&[1]), false),
        sample!(int([2, 3, 4]).range(-1, 2), list(&[0, 2]), true).named("two dimensions, kept"),
    ]
}

/// With elements that are equal.
fn compared() -> [Sample<(IntInput, IntInput)>; 2] {
    [
        sample!(ints([1, 2, 3, -4], [2, 2]), ints([1, 3, 2, -4], [2, 2])),
        sample!(int([2, 3, 4]).range(-2, 2), int([3, 1]).range(-2, 2)).named("broadcast"),
    ]
}

/// Two of five from the second on, backwards, and every other of six.
const STEPS: &[Slice] = &[Slice::new(Some(3), Some(1), -1), Slice::new(None, None, 2)];
