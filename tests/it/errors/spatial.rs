//! What convolution, pooling and resampling refuse, by the whole text, out of kernels and out of default bodies.

use opswitch::{
    DType, FloatTensor,
    ops::{
        AvgPoolOptions, ConvOptions, ConvTransposeOptions, FloatOps, InterpolateMode, MaxPoolOptions, NnOps,
    },
};
use opswitch_tests::TestDispatch;

use super::{device, panic_text};

const PLACES: [&str; 4] = ["cpu", "npu:1", "autodiff(cpu)", "autodiff(npu:1)"];

fn ones<const D: usize>(place: &str, shape: [usize; D]) -> FloatTensor<TestDispatch> {
    TestDispatch::float_ones(shape.into(), DType::F32, &device(place))
}

#[test]
fn convolution() {
    for place in PLACES {
        let (x, weight) = (ones(place, [2, 4, 5, 6]), ones(place, [6, 4, 3, 3]));
        let refused = |weight: &FloatTensor<TestDispatch>, options| {
            panic_text!(TestDispatch::conv2d(x.clone(), weight.clone(), None, options))
        };
        let plain = ConvOptions::default();
        assert_eq!(
            refused(&ones(place, [6, 3, 3, 3]), plain),
            "conv2d: shapes [2, 4, 5, 6] and [6, 3, 3, 3] do not fit: the input has 4 channels, and the weight takes 3"
        );
        assert_eq!(
            refused(&ones(place, [6, 4, 3]), plain),
            "conv2d: shapes [2, 4, 5, 6] and [6, 4, 3] do not fit: both have two dimensions before the 2 spatial ones"
        );
        assert_eq!(
            refused(&ones(place, [6, 4, 3, 9]), ConvOptions { padding: [0, 1], ..plain }),
            "conv2d: shapes [2, 4, 5, 6] and [6, 4, 3, 9] do not fit: a window does not fit in the padded input in dimension 3"
        );
        assert_eq!(
            refused(&ones(place, [6, 4, 0, 3]), plain),
            "conv2d: shapes [2, 4, 5, 6] and [6, 4, 0, 3] do not fit: a kernel without elements has no windows"
        );
        assert_eq!(
            refused(&weight, ConvOptions { groups: 3, ..plain }),
            "conv2d: shapes [2, 4, 5, 6] and [6, 4, 3, 3] do not fit: 6 and 4 channels cannot be cut into 3 groups"
        );
        for options in [ConvOptions { stride: [1, 0], ..plain }, ConvOptions { dilation: [0, 1], ..plain }] {
            assert_eq!(
                refused(&weight, options),
                "conv2d: shapes [2, 4, 5, 6] and [6, 4, 3, 3] do not fit: stride and dilation cannot be 0"
            );
        }
        let bias = Some(ones(place, [4]));
        let text = panic_text!(TestDispatch::conv2d(x.clone(), weight.clone(), bias, plain));
        assert_eq!(
            text,
            "conv2d: shapes [2, 4, 5, 6] and [4] do not fit: the bias, which is the second, has one element for each of 6 channels"
        );
        let wide = TestDispatch::float_cast(weight, DType::F64);
        assert!(refused(&wide, plain).starts_with("conv2d: element types f32 and f64 differ"));
    }
}

#[test]
fn transposed_convolution() {
    for place in PLACES {
        let (x, weight) = (ones(place, [2, 4, 3]), ones(place, [4, 3, 2]));
        let refused =
            |options| panic_text!(TestDispatch::conv_transpose1d(x.clone(), weight.clone(), None, options));
        let plain = ConvTransposeOptions::default();
        let start = "conv_transpose1d: shapes [2, 4, 3] and [4, 3, 2] do not fit: ";
        for (options, reason) in [
            (
                ConvTransposeOptions { output_padding: [1], ..plain },
                "the output padding is less than stride or dilation",
            ),
            (ConvTransposeOptions { padding: [2], ..plain }, "nothing is left in dimension 2"),
            (ConvTransposeOptions { groups: 3, ..plain }, "4 and 4 channels cannot be cut into 3 groups"),
        ] {
            assert_eq!(refused(options), format!("{start}{reason}"));
        }
        let other = ones(place, [5, 3, 2]);
        let text = panic_text!(TestDispatch::conv_transpose1d(x.clone(), other, None, plain));
        assert!(text.ends_with("the input has 4 channels, and the weight takes 5"), "{text}");
    }
}

#[test]
fn pooling() {
    for place in PLACES {
        let x = ones(place, [2, 3, 4, 5]);
        let refused = |options| panic_text!(TestDispatch::max_pool2d(x.clone(), options));
        let start = "max_pool2d: shapes [2, 3, 4, 5] and ";
        for (options, text) in [
            (
                MaxPoolOptions::new([5, 2]),
                "[5, 2] do not fit: a window does not fit in the padded input in dimension 2",
            ),
            (
                MaxPoolOptions { padding: [0, 2], ..MaxPoolOptions::new([2, 3]) },
                "[2, 3] do not fit: the padding [0, 2] is more than half of a window",
            ),
            (
                MaxPoolOptions { stride: [0, 1], ..MaxPoolOptions::new([2, 2]) },
                "[2, 2] do not fit: kernel size, stride and dilation cannot be 0",
            ),
            (
                MaxPoolOptions { padding: [1, 0], dilation: [5, 1], ..MaxPoolOptions::new([2, 2]) },
                "[2, 2] do not fit: a window has nothing but padding in dimension 2",
            ),
        ] {
            assert_eq!(refused(options), format!("{start}{text}"));
        }
        let text = panic_text!(TestDispatch::avg_pool1d(x.clone(), AvgPoolOptions::new([2])));
        assert_eq!(
            text,
            "avg_pool1d: shapes [2, 3, 4, 5] and [2] do not fit: the input has two dimensions before the 1 spatial ones"
        );
        let nothing = ones(place, [2, 3, 0]);
        let text = panic_text!(TestDispatch::adaptive_avg_pool1d(nothing, [2]));
        assert_eq!(
            text,
            "adaptive_avg_pool1d: shapes [2, 3, 0] and [2] do not fit: there is nothing to take the mean of"
        );
    }
}

#[test]
fn resampling() {
    for place in PLACES {
        let x = ones(place, [2, 3, 4, 5]);
        let refused = |size, mode| panic_text!(TestDispatch::interpolate(x.clone(), size, mode, true));
        assert_eq!(
            refused([0, 3], InterpolateMode::Bilinear),
            "interpolate: shapes [2, 3, 4, 5] and [0, 3] do not fit: neither image can be without height or width"
        );
        assert_eq!(
            refused([2, 3], InterpolateMode::Nearest),
            "interpolate: nearest neighbours have no corners to align"
        );
    }
}
