//! The ops of `NnOps` that have spatial dimensions.

use opswitch::ops::{
    AvgPoolOptions, ConvOptions, ConvTransposeOptions, Convolution, InterpolateMode, MaxPoolOptions, NnOps,
    PoolWindows,
};
use opswitch_testing::{FloatInput, Parameter, Sample, conformance, float, floats, list, parameter, sample};

use crate::Dispatch;

/// Windows of every kind: with a remainder, a reach beyond the input, and gaps.
fn uneven() -> ConvOptions<2> {
    ConvOptions { stride: [2, 3], padding: [1, 0], dilation: [1, 2], groups: 2 }
}

type Any = Parameter<Convolution>;

fn of(options: ConvOptions<2>) -> Any {
    parameter(options.into())
}

conformance!(
    Dispatch,
    NnOps::conv,
    |x, weight, options| Dispatch::conv(x, weight, &options),
    [
        sample!(float([2, 3, 5, 4]), float([4, 3, 3, 2]), of(ConvOptions::default())),
        sample!(float([2, 4, 6, 9]), float([6, 2, 3, 2]), of(uneven())).named("uneven").as_given(),
        sample!(
            float([1, 2, 7, 3, 2, 4]),
            float([3, 2, 2, 1, 2, 3]),
            parameter(Convolution::from(ConvOptions {
                stride: [3, 1, 1, 2],
                padding: [1, 0, 1, 1],
                ..ConvOptions::default()
            }))
        )
        .named("four dimensions")
        .as_given(),
        sample!(float([2, 3]), float([4, 3]), parameter(Convolution::from(ConvOptions::<0>::default())))
            .named("no dimensions"),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv_transpose,
    |y, weight, options, size| Dispatch::conv_transpose(y, weight, &options, size),
    [
        sample!(float([2, 4, 3, 2]), float([4, 3, 3, 2]), of(ConvOptions::default()), list(&[5, 3])),
        sample!(float([2, 6, 3, 3]), float([6, 2, 3, 2]), of(uneven()), list(&[6, 9]))
            .named("uneven")
            .as_given(),
        sample!(float([1, 4, 2, 1]), float([4, 2, 3, 2]), of(uneven()), list(&[8, 7]))
            .named("fewer windows than there is room for")
            .as_given(),
        sample!(
            float([1, 2, 3, 2]),
            float([2, 1, 1, 2]),
            of(ConvOptions { padding: [2, 3], stride: [2, 2], ..ConvOptions::default() }),
            list(&[1, 3])
        )
        .named("windows in the padding alone")
        .as_given(),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv_weight,
    |x, y, options, kernel| Dispatch::conv_weight(x, y, &options, kernel),
    [
        sample!(float([2, 3, 5, 4]), float([2, 4, 3, 3]), of(ConvOptions::default()), list(&[3, 2])),
        sample!(float([2, 4, 6, 9]), float([2, 6, 3, 3]), of(uneven()), list(&[3, 2]))
            .named("uneven")
            .as_given(),
        sample!(float([1, 4, 8, 7]), float([1, 4, 2, 1]), of(uneven()), list(&[3, 2]))
            .named("fewer windows than there is room for")
            .as_given(),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv1d(x, weight, bias, options),
    [
        sample!(float([2, 3, 6]), float([4, 3, 2]), Some(float([4])), parameter(ConvOptions::default())),
        sample!(
            float([2, 4, 9]),
            float([4, 1, 3]),
            Some(float([4])),
            parameter(ConvOptions { stride: [2], padding: [1], dilation: [2], groups: 4 })
        )
        .named("each channel on its own"),
        sample!(
            float([1, 2, 6]),
            float([6, 1, 1]),
            Some(float([6])),
            parameter(ConvOptions { groups: 2, ..ConvOptions::default() })
        )
        .named("a kernel of one element")
        .as_given(),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv2d(x, weight, bias, options),
    [
        sample!(
            float([2, 3, 5, 4]),
            float([4, 3, 3, 2]),
            Some(float([4])),
            parameter(ConvOptions::default())
        ),
        sample!(float([2, 4, 6, 9]), float([6, 2, 3, 2]), Some(float([6])), parameter(uneven()))
            .named("uneven"),
        sample!(
            float([2, 3, 5, 4]),
            float([4, 3, 1, 1]),
            Some(float([4])),
            parameter(ConvOptions::default())
        )
        .named("a kernel of one element"),
        sample!(
            float([2, 3, 5, 4]),
            float([3, 1, 3, 3]),
            Some(float([3])),
            parameter(ConvOptions { padding: [1, 1], groups: 3, ..ConvOptions::default() })
        )
        .named("each channel on its own"),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv3d(x, weight, bias, options),
    [
        sample!(
            float([2, 3, 4, 5, 3]),
            float([2, 3, 2, 3, 2]),
            Some(float([2])),
            parameter(ConvOptions::default())
        ),
        sample!(
            float([1, 4, 5, 3, 6]),
            float([6, 2, 2, 3, 3]),
            Some(float([6])),
            parameter(ConvOptions { stride: [2, 1, 3], padding: [0, 1, 2], dilation: [2, 1, 2], groups: 2 })
        )
        .named("uneven"),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv_transpose1d(x, weight, bias, options),
    [
        sample!(
            float([2, 3, 4]),
            float([3, 5, 2]),
            Some(float([5])),
            parameter(ConvTransposeOptions::default())
        ),
        sample!(
            float([2, 4, 3]),
            float([4, 3, 3]),
            Some(float([6])),
            parameter(ConvTransposeOptions {
                stride: [2],
                padding: [1],
                output_padding: [2],
                dilation: [3],
                groups: 2
            })
        )
        .named("longer by more than a stride")
        .as_given(),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv_transpose2d(x, weight, bias, options),
    [
        sample!(
            float([2, 3, 4, 5]),
            float([3, 2, 3, 2]),
            Some(float([2])),
            parameter(ConvTransposeOptions::default())
        ),
        sample!(
            float([2, 4, 3, 2]),
            float([4, 3, 3, 2]),
            Some(float([6])),
            parameter(ConvTransposeOptions {
                stride: [2, 3],
                padding: [1, 2],
                output_padding: [1, 0],
                dilation: [1, 2],
                groups: 2
            })
        )
        .named("uneven"),
        sample!(
            float([2, 3, 3, 4]),
            float([3, 1, 2, 2]),
            Some(float([3])),
            parameter(ConvTransposeOptions { stride: [2, 2], groups: 3, ..ConvTransposeOptions::default() })
        )
        .named("each channel on its own"),
        sample!(
            float([2, 3, 3, 4]),
            float([3, 2, 1, 1]),
            Some(float([2])),
            parameter(ConvTransposeOptions::default())
        )
        .named("a kernel of one element"),
    ]
);

conformance!(
    Dispatch,
    NnOps::conv_transpose3d(x, weight, bias, options),
    [
        sample!(
            float([1, 2, 3, 2, 4]),
            float([2, 3, 2, 3, 2]),
            Some(float([3])),
            parameter(ConvTransposeOptions::default())
        ),
        sample!(
            float([2, 4, 2, 3, 1]),
            float([4, 1, 2, 2, 3]),
            Some(float([2])),
            parameter(ConvTransposeOptions {
                stride: [2, 1, 3],
                padding: [1, 0, 1],
                output_padding: [1, 0, 2],
                dilation: [1, 1, 2],
                groups: 2
            })
        )
        .named("uneven"),
    ]
);

/// Windows over one dimension that overlap, reach beyond the input and have gaps, and others that do not fit.
fn pooled1() -> Vec<Sample<(FloatInput, Parameter<MaxPoolOptions<1>>)>> {
    let overlapping = MaxPoolOptions { stride: [2], padding: [1], dilation: [2], ..MaxPoolOptions::new([3]) };
    let ceil = MaxPoolOptions { ceil_mode: true, ..MaxPoolOptions::new([3]) };
    vec![
        sample!(float([2, 3, 6]), parameter(MaxPoolOptions::new([2]))).distinct(),
        sample!(float([2, 3, 7]), parameter(overlapping)).named("overlapping").distinct(),
        sample!(float([2, 2, 7]), parameter(ceil)).named("a last window that is cut").distinct(),
        sample!(
            floats(SPECIAL, [1, 2, 4]),
            parameter(MaxPoolOptions { stride: [1], ..MaxPoolOptions::new([2]) })
        )
        .named("special values")
        .values_only(),
    ]
}

/// NaN beside numbers, infinities, and a tie.
const SPECIAL: [f64; 8] =
    [1.0, f64::NAN, f64::INFINITY, 2.0, f64::NEG_INFINITY, f64::NEG_INFINITY, -3.0, -3.0];

fn pooled2() -> Vec<Sample<(FloatInput, Parameter<MaxPoolOptions<2>>)>> {
    let overlapping =
        MaxPoolOptions { stride: [2, 1], padding: [1, 1], dilation: [1, 2], ..MaxPoolOptions::new([3, 2]) };
    let ceil =
        MaxPoolOptions { stride: [2, 3], padding: [0, 1], ceil_mode: true, ..MaxPoolOptions::new([2, 3]) };
    vec![
        sample!(float([2, 3, 4, 6]), parameter(MaxPoolOptions::new([2, 3]))).distinct(),
        sample!(float([2, 2, 5, 4]), parameter(overlapping)).named("overlapping").distinct(),
        sample!(float([1, 2, 5, 6]), parameter(ceil)).named("last windows that are cut").distinct(),
        sample!(
            floats(SPECIAL, [1, 1, 2, 4]),
            parameter(MaxPoolOptions { stride: [1, 1], padding: [1, 1], ..MaxPoolOptions::new([2, 2]) })
        )
        .named("special values")
        .values_only(),
        sample!(
            floats([f64::NEG_INFINITY; 4], [1, 1, 2, 2]),
            parameter(MaxPoolOptions { padding: [1, 1], ..MaxPoolOptions::new([2, 2]) })
        )
        .named("nothing but -inf")
        .values_only(),
    ]
}

conformance!(
    Dispatch,
    NnOps::max_pool_index,
    |x, windows| Dispatch::max_pool_index(x, &windows),
    [
        sample!(float([2, 3, 5]), parameter(PoolWindows::from(MaxPoolOptions::new([2])))).distinct(),
        sample!(
            float([2, 1, 4, 5, 3]),
            parameter(PoolWindows::from(MaxPoolOptions {
                stride: [1, 2, 2],
                padding: [1, 1, 0],
                dilation: [1, 2, 1],
                ceil_mode: true,
                ..MaxPoolOptions::new([2, 2, 2])
            }))
        )
        .named("three dimensions")
        .distinct(),
    ]
);

conformance!(Dispatch, NnOps::max_pool1d(x, options), pooled1());
conformance!(Dispatch, NnOps::max_pool1d_with_indices(x, options), pooled1());
conformance!(Dispatch, NnOps::max_pool2d(x, options), pooled2());
conformance!(Dispatch, NnOps::max_pool2d_with_indices(x, options), pooled2());

conformance!(
    Dispatch,
    NnOps::avg_pool1d(x, options),
    [
        sample!(float([2, 3, 6]), parameter(AvgPoolOptions::new([2]))),
        sample!(
            float([2, 3, 8]),
            parameter(AvgPoolOptions {
                stride: [3],
                padding: [2],
                ceil_mode: true,
                ..AvgPoolOptions::new([4])
            })
        )
        .named("windows that are cut"),
        sample!(
            float([2, 3, 7]),
            parameter(AvgPoolOptions {
                stride: [2],
                padding: [1],
                count_include_pad: false,
                ..AvgPoolOptions::new([3])
            })
        )
        .named("without the padding"),
    ]
);

conformance!(
    Dispatch,
    NnOps::avg_pool2d(x, options),
    [
        sample!(float([2, 3, 4, 6]), parameter(AvgPoolOptions::new([2, 3]))),
        sample!(
            float([2, 1, 5, 8]),
            parameter(AvgPoolOptions {
                stride: [2, 3],
                padding: [1, 2],
                ceil_mode: true,
                ..AvgPoolOptions::new([2, 4])
            })
        )
        .named("windows that are cut"),
        sample!(
            float([1, 2, 5, 7]),
            parameter(AvgPoolOptions {
                stride: [1, 2],
                padding: [1, 1],
                ceil_mode: true,
                count_include_pad: false,
                ..AvgPoolOptions::new([3, 2])
            })
        )
        .named("without the padding"),
    ]
);

conformance!(
    Dispatch,
    NnOps::adaptive_avg_pool1d(x, output_size),
    [
        sample!(float([2, 3, 6]), parameter([3])),
        sample!(float([2, 3, 7]), parameter([3])).named("parts that overlap"),
        sample!(float([2, 2, 3]), parameter([5])).named("more parts than elements"),
        sample!(float([2, 2, 3]), parameter([0])).named("no parts"),
    ]
);

conformance!(
    Dispatch,
    NnOps::adaptive_avg_pool2d(x, output_size),
    [
        sample!(float([2, 3, 6, 4]), parameter([3, 1])),
        sample!(float([1, 2, 7, 5]), parameter([4, 3])).named("parts that overlap"),
    ]
);

type Resampling = Sample<(FloatInput, Parameter<[usize; 2]>, Parameter<InterpolateMode>, bool)>;

fn resampled() -> Vec<Resampling> {
    use InterpolateMode::{Bicubic, Bilinear, Nearest};
    let x = || float([2, 1, 4, 3]);
    vec![
        sample!(x(), parameter([7, 2]), parameter(Nearest), false),
        sample!(x(), parameter([2, 8]), parameter(Bilinear), false).named("bilinear"),
        sample!(x(), parameter([6, 5]), parameter(Bilinear), true).named("bilinear, corners aligned"),
        sample!(x(), parameter([3, 7]), parameter(Bicubic), false).named("bicubic"),
        sample!(x(), parameter([1, 5]), parameter(Bicubic), true).named("bicubic, corners aligned"),
    ]
}

conformance!(Dispatch, NnOps::interpolate(x, output_size, mode, align_corners), resampled());
