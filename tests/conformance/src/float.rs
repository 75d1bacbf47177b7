//! `FloatOps`.

use opswitch::{
    DType, Shape, Slice,
    ops::{FloatOps, Norm, PadMode},
};
use opswitch_testing::{
    FloatInput, Sample, boolean, device, float, float_dtype, floats, int, int_dtype, ints, list, parameter,
    sample,
};

use crate::Dispatch;

/// Within reach of every elementwise op, with a zero-dimensional tensor.
fn one() -> [Sample<(FloatInput,)>; 2] {
    one_in(-2.0, 2.0)
}

fn one_in(low: f64, high: f64) -> [Sample<(FloatInput,)>; 2] {
    [sample!(float([3, 4]).range(low, high)), sample!(float([]).range(low, high)).named("a single number")]
}

/// Signs, infinities and NaN.
fn special() -> FloatInput {
    floats([0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 2.5], [2, 4])
}

fn one_and_special() -> Vec<Sample<(FloatInput,)>> {
    let mut samples = Vec::from(one());
    samples.push(sample!(special()).named("special values").values_only());
    samples
}

fn two() -> [Sample<(FloatInput, FloatInput)>; 3] {
    two_in(-2.0, 2.0)
}

fn two_in(low: f64, high: f64) -> [Sample<(FloatInput, FloatInput)>; 3] {
    let x = |shape: &[usize]| float(shape).range(low, high);
    [
        sample!(x(&[3, 4]), x(&[3, 4])),
        sample!(x(&[2, 3, 4]), x(&[3, 1])).named("broadcast"),
        sample!(x(&[]), x(&[5])).named("a single number beside five"),
    ]
}

/// Elements that are equal, and elements that are not numbers.
fn compared() -> [Sample<(FloatInput, FloatInput)>; 3] {
    [
        sample!(floats([1.0, 2.0, 3.0, f64::NAN], [2, 2]), floats([1.0, 3.0, 2.0, f64::NAN], [2, 2])),
        sample!(float([2, 3, 4]), float([3, 1])).named("broadcast"),
        sample!(special(), float([4])).named("special values"),
    ]
}

fn with(scalar: f64) -> [Sample<(FloatInput, f64)>; 2] {
    [sample!(float([3, 4]).range(0.5, 2.0), scalar), sample!(float([]), scalar).named("a single number")]
}

fn compared_with(scalar: f64) -> [Sample<(FloatInput, f64)>; 2] {
    [
        sample!(floats([0.5, -0.5, 1.0, 0.25, 0.5, 2.0], [2, 3]), scalar),
        sample!(special(), scalar).named("special values"),
    ]
}

type Reduction = Sample<(FloatInput, &'static [usize], bool)>;

fn reduced() -> Vec<Reduction> {
    vec![
        sample!(float([2, 3, 4]), list(&[1]), false),
        sample!(float([2, 3, 4]), list(&[0, 2]), true).named("two dimensions, kept"),
        sample!(float([2, 3]), list(&[0, 1]), false).named("all dimensions"),
        sample!(float([2, 3]), list(&[]), false).named("no dimension"),
        sample!(float([300]), list(&[0]), false).named("many elements").tolerance(DType::F16, 2e-2),
    ]
}

fn without_ties() -> Vec<Reduction> {
    reduced().into_iter().map(Sample::distinct).collect()
}

fn along() -> [Sample<(FloatInput, usize, bool)>; 3] {
    [
        sample!(float([2, 3, 4]), 1usize, false).distinct(),
        sample!(float([2, 3]), 1usize, true).named("kept").distinct(),
        sample!(floats([1.0, 2.0, 2.0, 0.0], [4]), 0usize, false).named("a tie").values_only(),
    ]
}

fn along_one() -> Vec<Sample<(FloatInput, usize)>> {
    vec![
        sample!(float([2, 3, 4]), 1usize),
        sample!(float([5]), 0usize).named("a vector"),
        sample!(float([3, 4]), 0usize).named("columns"),
        sample!(float([2, 0]), 1usize).named("no elements"),
        sample!(float([300]).range(-0.01, 1.0), 0usize).named("many elements").tolerance(DType::F16, 2e-2),
    ]
}

fn along_one_with_zeros() -> Vec<Sample<(FloatInput, usize)>> {
    let mut samples = along_one();
    samples.push(sample!(floats([1.5, 0.0, -2.0, 0.0, 0.5], [5]), 0usize).named("zeros"));
    samples
}

fn sorted() -> [Sample<(FloatInput, usize, bool)>; 5] {
    [
        sample!(float([2, 3, 4]), 1usize, false).distinct(),
        sample!(float([3, 4]), 1usize, true).named("descending").distinct(),
        sample!(special(), 1usize, false).named("special values").values_only(),
        sample!(floats([1.0, 2.0, 2.0, 1.0, 2.0, 0.0, -0.0], [7]), 0usize, true).named("ties").values_only(),
        sample!(float([0, 3]), 0usize, false).named("no elements"),
    ]
}

opswitch_testing::conformance! { Dispatch, FloatOps {
    float_zeros { |shape, dtype, device| Dispatch::float_zeros(shape, dtype, &device) } => [
        sample!(Shape::from([2, 3]), float_dtype(), device()),
        sample!(Shape::from([0, 3]), float_dtype(), device()).named("no elements"),
    ];
    float_ones { |shape, dtype, device| Dispatch::float_ones(shape, dtype, &device) } => [
        sample!(Shape::from([2, 3]), float_dtype(), device()),
        sample!(Shape::from([]), float_dtype(), device()).named("a single number"),
    ];
    float_full { |shape, value, dtype, device| Dispatch::float_full(shape, value, dtype, &device) } => [
        sample!(Shape::from([2, 3]), 0.3, float_dtype(), device()),
        sample!(Shape::from([2, 3]), f64::NEG_INFINITY, float_dtype(), device()).named("an infinity"),
    ];
    float_random elsewhere;
    float_seed elsewhere;

    float_reshape(x, shape) => [
        sample!(float([2, 6]), Shape::from([3, 4])),
        sample!(float([2, 3]), Shape::from([6])).named("flat"),
        sample!(float([0, 3]), Shape::from([3, 0, 2])).named("no elements"),
    ];
    float_permute(x, axes) => [
        sample!(float([2, 3, 4]), list(&[2, 0, 1])),
        sample!(float([2, 3]), list(&[0, 1])).named("the same order"),
    ];
    float_swap_dims(x, dim1, dim2) => [
        sample!(float([2, 3, 4]), 0usize, 2usize),
        sample!(float([2, 3]), 1usize, 1usize).named("a dimension with itself"),
    ];
    float_transpose(x) => [sample!(float([2, 3, 4])), sample!(float([3])).named("a vector")];
    float_expand(x, shape) => [
        sample!(float([3, 1]), Shape::from([2, 3, 4])),
        sample!(float([]), Shape::from([2, 2])).named("a single number"),
        sample!(float([3, 1]), Shape::from([3, 0])).named("to no elements"),
    ];
    float_sum_to(x, shape) => [
        sample!(float([2, 3, 4]), Shape::from([3, 1])),
        sample!(float([2, 3]), Shape::from([])).named("to a single number"),
    ];
    float_flip(x, dims) => [
        sample!(float([2, 3, 4]), list(&[0, 2])),
        sample!(float([2, 3]), list(&[])).named("no dimension"),
    ];
    float_slice { |x, slices| Dispatch::float_slice(x, slices) } => slices();
    float_slice_assign { |x, slices, value| Dispatch::float_slice_assign(x, slices, value) } => [
        sample!(float([5, 6]), STEPS, float([2, 3])),
        sample!(float([5, 6]), STEPS, float([])).named("a single number"),
    ];
    float_cat(tensors, dim) => [
        sample!(vec![float([2, 3]), float([2, 3])], 0usize),
        sample!(vec![float([2, 3]), float([2, 1]), float([2, 0])], 1usize).named("other extents").as_given(),
    ];
    float_repeat(x, times) => [
        sample!(float([2, 3]), list(&[3, 2])),
        sample!(float([2, 3]), list(&[0, 1])).named("not at all"),
    ];
    float_pad { |x, pads, mode| Dispatch::float_pad(x, &pads, mode) } => [
        sample!(float([2, 3]), parameter(vec![(1, 0), (2, 1)]), parameter(PadMode::Constant(0.5))),
        sample!(float([3, 4]), parameter(vec![(2, 1), (0, 3)]), parameter(PadMode::Reflect)).named("reflected"),
        sample!(float([2, 3]), parameter(vec![(1, 2), (0, 4)]), parameter(PadMode::Replicate)).named("replicated"),
    ];
    float_unfold(x, dim, size, step) => [
        sample!(float([2, 7]), 1usize, 3usize, 2usize),
        sample!(float([5, 2]), 0usize, 2usize, 1usize).named("the first dimension"),
    ];
    float_cast(x, dtype) => [
        sample!(float([2, 3]), DType::F64).only([DType::F64]),
        sample!(float([2, 3]), DType::F32).only([DType::F32, DType::F16, DType::BF16]),
        sample!(special(), DType::F32).named("special values").values_only(),
    ];
    float_into_int(x, dtype) => [
        sample!(float([3, 4]).range(-9.0, 9.0), int_dtype()),
        sample!(floats([2.5, -2.5, 0.0, -0.0], [4]), int_dtype()).named("towards zero"),
    ];
    float_into_bool(x) => [sample!(special())];

    float_neg(x) => one_and_special();
    float_abs(x) => one_and_special();
    float_sign(x) => one_and_special();
    float_exp(x) => one_and_special();
    float_exp_m1(x) => one_and_special();
    float_ln(x) => one_in(0.5, 3.0);
    float_ln_1p(x) => one_in(-0.5, 3.0);
    float_sqrt(x) => one_in(0.5, 3.0);
    float_rsqrt(x) => one_in(0.5, 3.0);
    float_recip(x) => one_in(0.5, 3.0);
    float_square(x) => one_and_special();
    float_sin(x) => one();
    float_cos(x) => one();
    float_tan(x) => one_in(-1.0, 1.0);
    float_asin(x) => one_in(-0.8, 0.8);
    float_acos(x) => one_in(-0.8, 0.8);
    float_atan(x) => one_and_special();
    float_sinh(x) => one();
    float_cosh(x) => one();
    float_tanh(x) => one_and_special();
    float_erf(x) => one_and_special();
    float_floor(x) => one_and_special();
    float_ceil(x) => one_and_special();
    float_round(x) => one_and_special();
    float_trunc(x) => one_and_special();
    relu(x) => one_and_special();
    sigmoid(x) => one_and_special();
    log_sigmoid(x) => one();
    gelu(x) => one();
    silu(x) => one();
    softplus(x, beta) => with(2.0);
    leaky_relu(x, negative_slope) => [
        sample!(float([3, 4]), 0.25),
        sample!(special(), 0.25).named("special values").values_only(),
    ];
    relu_backward(y, cotangent) => [sample!(float([3, 4]), float([3, 4]))];

    float_add(lhs, rhs) => two();
    float_sub(lhs, rhs) => two();
    float_mul(lhs, rhs) => two();
    float_div(lhs, rhs) => two_in(0.5, 2.0);
    float_rem(lhs, rhs) => [
        sample!(floats([5.3, -5.3, 7.9, 1.2], [2, 2]), floats([2.0, 2.0, -3.0, 5.0], [2, 2])).only(WIDE),
        sample!(float([2, 3]).range(1.1, 1.9), float([3]).range(2.1, 2.9)).named("broadcast"),
    ];
    float_powf(lhs, rhs) => two_in(0.5, 2.0);
    float_atan2(lhs, rhs) => two_in(0.5, 2.0);
    float_minimum(lhs, rhs) => two();
    float_maximum(lhs, rhs) => two();
    float_add_scalar(x, scalar) => with(0.75);
    float_sub_scalar(x, scalar) => with(0.75);
    float_mul_scalar(x, scalar) => with(-1.5);
    float_div_scalar(x, scalar) => with(4.0);
    float_rem_scalar(x, scalar) => [
        sample!(floats([5.25, -5.25, 7.75, 1.25], [2, 2]), 2.0),
        sample!(floats([5.25, -5.25, 7.75, 1.25], [2, 2]), -3.0).named("a negative divisor"),
    ];
    float_powf_scalar(x, scalar) => [sample!(float([3, 4]).range(0.5, 2.0), 1.5)];
    float_powi_scalar(x, scalar) => [
        sample!(float([3, 4]).range(0.5, 2.0), 3),
        sample!(float([3, 4]).range(0.5, 2.0), -2).named("a negative power"),
        sample!(float([3, 4]), 0).named("the power 0"),
    ];
    float_clamp(x, min, max) => [sample!(float([3, 4]), -0.5, 0.25)];
    float_clamp_min(x, min) => [sample!(float([3, 4]), -0.25)];
    float_clamp_max(x, max) => [sample!(float([3, 4]), 0.25)];

    float_eq(lhs, rhs) => compared();
    float_ne(lhs, rhs) => compared();
    float_lt(lhs, rhs) => compared();
    float_le(lhs, rhs) => compared();
    float_gt(lhs, rhs) => compared();
    float_ge(lhs, rhs) => compared();
    float_eq_scalar(x, scalar) => compared_with(0.5);
    float_ne_scalar(x, scalar) => compared_with(0.5);
    float_lt_scalar(x, scalar) => compared_with(0.5);
    float_le_scalar(x, scalar) => compared_with(0.5);
    float_gt_scalar(x, scalar) => compared_with(0.5);
    float_ge_scalar(x, scalar) => compared_with(0.5);
    float_is_nan(x) => [sample!(special())];
    float_is_inf(x) => [sample!(special())];
    float_is_finite(x) => [sample!(special())];

    float_sum(x, dims, keep_dims) => reduced();
    float_prod(x, dims, keep_dims) => [
        sample!(float([2, 3, 4]), list(&[1]), false),
        sample!(float([2, 3, 4]).range(0.5, 1.5), list(&[0, 2]), true).named("two dimensions, kept"),
        sample!(floats([1.5, 0.0, -2.0, 0.5, 1.0, -1.0], [2, 3]), list(&[0, 1]), false).named("a zero"),
        sample!(floats([1.5, 0.0, -2.0, 0.0], [4]), list(&[0]), false).named("two zeros"),
        sample!(float([2, 0]), list(&[1]), false).named("over nothing"),
        sample!(float([2, 3]), list(&[]), false).named("no dimension"),
    ];
    float_mean(x, dims, keep_dims) => reduced();
    float_max(x, dims, keep_dims) => without_ties();
    float_min(x, dims, keep_dims) => without_ties();
    float_max_dim(x, dim, keep_dims) => along();
    float_argmax(x, dim, keep_dims) => along();
    float_min_dim(x, dim, keep_dims) => along();
    float_argmin(x, dim, keep_dims) => along();
    float_var(x, dims, keep_dims, correction) => [
        sample!(float([4, 5]), list(&[1]), false, 1usize),
        sample!(float([4, 5]), list(&[0, 1]), true, 0usize).named("all dimensions, kept"),
    ];
    float_log_sum_exp(x, dims, keep_dims) => reduced();

    float_norm { |x, dims, keep_dims, p| Dispatch::float_norm(x, dims, keep_dims, p) } => [
        sample!(float([3, 4]), list(&[1]), false, parameter(Norm::L2)),
        sample!(float([3, 4]), list(&[0, 1]), true, parameter(Norm::L2)).named("all dimensions, kept"),
        sample!(float([3, 4]), list(&[0]), false, parameter(Norm::L1)).named("of magnitudes").distinct(),
        sample!(float([3, 4]), list(&[1]), true, parameter(Norm::Infinity)).named("the greatest").distinct(),
        sample!(special(), list(&[1]), false, parameter(Norm::L2)).named("special values").values_only(),
    ];
    float_cumsum(x, dim) => along_one();
    float_cumprod(x, dim) => along_one_with_zeros();
    float_argsort(x, dim, descending) => sorted();
    float_sort(x, dim, descending) => sorted();
    float_topk(x, k, dim, largest) => [
        sample!(float([3, 5]), 2usize, 1usize, true).distinct(),
        sample!(float([5, 3]), 3usize, 0usize, false).named("the least").distinct(),
        sample!(float([5]), 0usize, 0usize, true).named("none").distinct(),
        sample!(special(), 3usize, 1usize, true).named("special values").values_only(),
    ];

    float_outer(lhs, rhs) => [
        sample!(float([3]), float([4])),
        sample!(float([3]), float([0])).named("with nothing"),
    ];
    float_dot(lhs, rhs) => [sample!(float([5]), float([5]))];
    float_einsum { |tensors, equation| Dispatch::float_einsum(tensors, equation) } => [
        sample!(vec![float([2, 3]), float([3, 2])], parameter("ij,jk->ki")),
        sample!(vec![float([2, 4]), float([2, 4]), float([2, 4])], parameter("bi, bi, bi -> b")).named("three tensors"),
        sample!(vec![float([3, 3])], parameter("ii->i")).named("a diagonal"),
        sample!(vec![float([3, 3])], parameter("...ij->j...")).named("a sum over rows"),
        sample!(vec![float([2, 1, 3]), float([4, 3])], parameter("...i,...i")).named("what broadcasts").as_given(),
    ];
    float_matmul(lhs, rhs) => [
        sample!(float([3, 4]), float([4, 5])),
        sample!(float([2, 3, 4]), float([4, 5])).named("a batch times a matrix"),
        sample!(float([2, 1, 3, 4]), float([5, 4, 2])).named("batches that broadcast"),
        sample!(float([4]), float([4, 5])).named("a row times a matrix"),
        sample!(float([3, 4]), float([4])).named("a matrix times a column"),
        sample!(float([4]), float([4])).named("two vectors"),
    ];

    float_gather(x, dim, index) => [sample!(float([3, 4]), 1usize, int([3, 2]).range(0, 4))];
    float_scatter_add(x, dim, index, src) => [
        sample!(float([3, 4]), 1usize, int([3, 2]).range(0, 4), float([3, 2])),
        sample!(float([4]), 0usize, ints([1, 1, 1], [3]), float([3])).named("one place three times"),
    ];
    float_select(x, dim, index) => [
        sample!(float([3, 4]), 1usize, int([6]).range(0, 4)),
        sample!(float([3, 4]), 0usize, ints([], [0])).named("nothing"),
    ];
    float_select_add(x, dim, index, src) => [
        sample!(float([3, 4]), 1usize, ints([3, 0, 3], [3]), float([3, 3])),
    ];
    float_mask_where(x, mask, value) => [
        sample!(float([3, 4]), boolean([3, 4]), float([3, 4])),
        sample!(float([4]), boolean([3, 1]), float([])).named("broadcast"),
    ];
    float_mask_fill(x, mask, value) => [
        sample!(float([3, 4]), boolean([3, 4]), -0.5),
        sample!(float([4]), boolean([3, 1]), f64::NEG_INFINITY).named("broadcast").values_only(),
    ];
    float_one_hot(index, num_classes, dtype) => [sample!(int([2, 3]).range(0, 4), 4usize, float_dtype())];
}}

/// The types in which an element is far from where the remainder jumps.
const WIDE: [DType; 2] = [DType::F64, DType::F32];

/// Two of five from the second on, backwards, and every other of six.
const STEPS: &[Slice] = &[Slice::new(Some(3), Some(1), -1), Slice::new(None, None, 2)];

fn slices() -> [Sample<(FloatInput, &'static [Slice])>; 3] {
    const ONE: &[Slice] = &[Slice::new(Some(1), Some(4), 1)];
    const NONE: &[Slice] = &[Slice::new(Some(2), Some(2), 1)];
    [
        sample!(float([5, 6]), STEPS),
        sample!(float([5, 6]), ONE).named("one of two dimensions"),
        sample!(float([5, 6]), NONE).named("nothing"),
    ]
}
