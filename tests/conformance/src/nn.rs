//! `NnOps`.

use opswitch::ops::{CrossEntropy, NnOps, Reduction};
use opswitch_testing::{FloatInput, Sample, float, int, ints, parameter, sample};

use crate::Dispatch;

fn normalised() -> [Sample<(FloatInput, usize)>; 3] {
    [
        sample!(float([3, 4]), 1usize),
        sample!(float([2, 3, 4]), 0usize).named("the first of three dimensions"),
        sample!(float([3, 4]).range(60.0, 64.0), 1usize).named("large"),
    ]
}

fn weighted(
    options: CrossEntropy,
) -> Sample<(FloatInput, opswitch_testing::IntInput, opswitch_testing::Parameter<CrossEntropy>)> {
    sample!(float([5, 3]), int([5]).range(0, 3), parameter(options))
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
