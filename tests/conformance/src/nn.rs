//! `NnOps`.

use opswitch::{
    DType,
    ops::{AttentionMask, CrossEntropy, NnOps, Reduction},
};
use opswitch_testing::{
    BoolInput, FloatInput, IntInput, Parameter, Sample, boolean, float, int, ints, parameter, sample,
};

use crate::Dispatch;

fn normalised() -> [Sample<(FloatInput, usize)>; 3] {
    [
        sample!(float([3, 4]), 1usize),
        sample!(float([2, 3, 4]), 0usize).named("the first of three dimensions"),
        sample!(float([3, 4]).range(60.0, 64.0), 1usize).named("large"),
    ]
}

fn weighted(options: CrossEntropy) -> Sample<(FloatInput, IntInput, Parameter<CrossEntropy>)> {
    sample!(float([5, 3]), int([5]).range(0, 3), parameter(options))
}

/// What a normalisation gives is as good as the deviations that its inputs were rounded to.
fn normal<I>(sample: Sample<I>) -> Sample<I> {
    sample.tolerance(DType::F16, 1e-1).tolerance(DType::BF16, 3e-1)
}

/// Input and target, with each reduction.
fn losses() -> [Sample<(FloatInput, FloatInput, Parameter<Reduction>)>; 4] {
    let two = |shape: &[usize]| (float(shape).range(-3.0, 3.0), float(shape).range(0.0, 1.0));
    let of = |shape: &[usize], reduction| sample!(two(shape).0, two(shape).1, parameter(reduction));
    [
        of(&[3, 4], Reduction::Mean),
        of(&[3, 4], Reduction::Sum).named("their sum"),
        of(&[2, 3, 4], Reduction::None).named("one each"),
        of(&[], Reduction::Mean).named("a single number"),
    ]
}

type Attention =
    Sample<(FloatInput, FloatInput, FloatInput, Option<BoolInput>, Option<FloatInput>, bool, Option<f64>)>;

/// Queries of width 4 that look at six keys.
fn attention(
    seen: Option<BoolInput>,
    added: Option<FloatInput>,
    causal: bool,
    scale: Option<f64>,
) -> Attention {
    sample!(float([2, 3, 4]), float([2, 6, 4]), float([2, 6, 5]), seen, added, causal, scale)
}

opswitch_testing::conformance! { Dispatch, NnOps {
    softmax(x, dim) => normalised();
    log_softmax(x, dim) => normalised();
    cross_entropy(logits, target, options) => [
        weighted(CrossEntropy::default()),
        weighted(CrossEntropy { reduction: Reduction::Sum, ..CrossEntropy::default() }).named("their sum"),
        weighted(CrossEntropy { reduction: Reduction::None, ..CrossEntropy::default() }).named("one each"),
        weighted(CrossEntropy { label_smoothing: 0.25, ..CrossEntropy::default() }).named("smoothed"),
        weighted(CrossEntropy { ignore_index: Some(1), ..CrossEntropy::default() }).named("one class ignored").distinct(),
        sample!(float([2, 3, 4]), ints([0, 1, 2, 0, 1, 1, 2, 2], [2, 4]), parameter(CrossEntropy::default()))
            .named("a dimension behind the classes"),
    ];

    layer_norm(x, weight, bias, normalized_dims, eps) => [
        normal(sample!(float([3, 5]), Some(float([5])), Some(float([5])), 1usize, 1e-2)),
        normal(sample!(float([2, 3, 4]), Some(float([3, 4])), Some(float([3, 4])), 2usize, 1e-2))
            .named("over two dimensions"),
        normal(sample!(float([2, 700]), Some(float([700])), None, 1usize, 1e-5)).named("a long row").as_given(),
        sample!(float([2, 6]).range(1e4, 1e4 + 4.0), None, None, 1usize, 1e-5)
            .named("a large mean").distinct().only([DType::F64, DType::F32]).values_only(),
    ];
    rms_norm(x, weight, normalized_dims, eps) => [
        normal(sample!(float([3, 5]), Some(float([5])), 1usize, 1e-2)),
        normal(sample!(float([2, 3, 4]), Some(float([3, 4])), 2usize, 1e-2)).named("over two dimensions"),
    ];
    group_norm(x, weight, bias, num_groups, eps) => [
        normal(sample!(float([2, 6, 3]), Some(float([6])), Some(float([6])), 2usize, 1e-2)),
        normal(sample!(float([2, 4, 2, 3]), Some(float([4])), Some(float([4])), 4usize, 1e-2))
            .named("each channel by itself"),
    ];
    // Running statistics have no gradient, and their values have vectors.
    batch_norm { |x, weight, bias, running_mean, running_var, training, momentum, eps| {
        Dispatch::batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps).0
    } } => [
        normal(sample!(
            float([4, 3, 2]), Some(float([3])), Some(float([3])), float([3]).without_gradient(),
            float([3]).range(0.5, 2.0).without_gradient(), true, 0.1, 1e-2
        )),
        normal(sample!(
            float([4, 3]), Some(float([3])), Some(float([3])), float([3]).without_gradient(),
            float([3]).range(0.5, 2.0).without_gradient(), false, 0.1, 1e-2
        )).named("in inference"),
    ];
    mse(input, target, reduction) => losses();
    binary_cross_entropy_with_logits(logits, target, reduction) => losses();
    embedding(weight, indices) => [
        sample!(float([4, 3]), ints([2, 0, 2, 3, 1, 2], [2, 3])),
        sample!(float([4, 3]), int([]).range(0, 4)).named("a single index"),
        sample!(float([4, 3]), int([0]).range(0, 4)).named("no index"),
    ];
    // What is dropped between these is checked beside `float_random`.
    dropout(x, probability) => [
        sample!(float([3, 4]), 0.0),
        sample!(float([3, 4]), 1.0).named("all of them"),
    ];
    scaled_dot_product_attention { |query, key, value, seen, added, causal, scale| {
        let mask = seen.map(AttentionMask::Bool).or_else(|| added.map(AttentionMask::Float));
        Dispatch::scaled_dot_product_attention(query, key, value, mask, causal, scale)
    } } => [
        attention(None, None, false, None),
        attention(None, None, true, Some(0.25)).named("causal"),
        attention(Some(boolean([3, 6])), None, true, None).named("causal, and a mask of bools"),
        attention(None, Some(float([2, 3, 6])), false, None).named("a mask of floats"),
    ];

    // In `spatial.rs`.
    conv elsewhere;
    conv_transpose elsewhere;
    conv_weight elsewhere;
    conv1d elsewhere;
    conv2d elsewhere;
    conv3d elsewhere;
    conv_transpose1d elsewhere;
    conv_transpose2d elsewhere;
    conv_transpose3d elsewhere;
    max_pool_index elsewhere;
    max_pool1d elsewhere;
    max_pool1d_with_indices elsewhere;
    max_pool2d elsewhere;
    max_pool2d_with_indices elsewhere;
    avg_pool1d elsewhere;
    avg_pool2d elsewhere;
    adaptive_avg_pool1d elsewhere;
    adaptive_avg_pool2d elsewhere;
    interpolate elsewhere;
}}
