//! `QuantizedOps`. Their results depend on rounding, so that given scales are powers of 2, by which every device divides
//! exactly.

use opswitch::{
    DType, FloatTensor, QuantBits, QuantLevel, QuantMode, QuantScheme, QuantizedTensor, Shape, Slice,
    ops::{FloatOps, IntOps, QuantizedOps},
};
use opswitch_testing::{
    DTypeInput, FloatInput, IntInput, Parameter, Sample, float, float_dtype, floats, int, ints, list,
    parameter, sample,
};

use crate::Dispatch;

/// The types of scales, and so of what is computed with them: that of a half is `f32`.
const WIDE: [DType; 2] = [DType::F64, DType::F32];

const ROWS: QuantLevel = QuantLevel::Channel { axis: 0 };
const COLUMNS: QuantLevel = QuantLevel::Channel { axis: 1 };
const BLOCKS: QuantLevel = QuantLevel::Block { size: 2 };

fn symmetric(bits: QuantBits, level: QuantLevel) -> Parameter<QuantScheme> {
    parameter(QuantScheme::new(QuantMode::Symmetric, bits, level))
}

fn affine(bits: QuantBits, level: QuantLevel) -> Parameter<QuantScheme> {
    parameter(QuantScheme::new(QuantMode::Affine, bits, level))
}

/// Nothing here has a gradient.
fn numbers(shape: impl Into<Shape>) -> FloatInput {
    float(shape).range(-4.0, 4.0).without_gradient()
}

fn scale(values: impl Into<Vec<f64>>, shape: impl Into<Shape>) -> FloatInput {
    floats(values, shape).without_gradient()
}

/// Rows of which the last word is not full, and every level, in both modes and widths.
fn dynamic() -> [Sample<(FloatInput, Parameter<QuantScheme>)>; 6] {
    use QuantBits::{Q4, Q8};
    [
        sample!(numbers([3, 5]), symmetric(Q8, QuantLevel::Tensor)),
        // Of few digits, numbers often lie between two zero points, and f32 and f64 differ in which is nearer.
        sample!(numbers([3, 5]), affine(Q8, ROWS)).named("rows").only(WIDE),
        sample!(numbers([3, 9]), symmetric(Q4, COLUMNS)).named("columns of 4 bits"),
        sample!(numbers([2, 6]), affine(Q4, BLOCKS)).named("blocks").as_given(),
        sample!(numbers([]), affine(Q8, QuantLevel::Tensor)).named("a single number"),
        sample!(scale([0.0, 0.0, 1.5, -3.0], [2, 2]), symmetric(Q8, ROWS)).named("a row of zeros").as_given(),
    ]
}

type Product = Sample<(IntInput, Parameter<QuantScheme>, IntInput, Parameter<QuantScheme>, DTypeInput)>;

fn products() -> [Product; 4] {
    use QuantBits::{Q4, Q8};
    [
        sample!(
            whole([3, 5]),
            symmetric(Q8, QuantLevel::Tensor),
            whole([5, 4]),
            symmetric(Q8, QuantLevel::Tensor),
            float_dtype()
        ),
        sample!(whole([3, 5]), affine(Q8, ROWS), whole([5, 4]), affine(Q4, COLUMNS), float_dtype())
            .named("rows times columns"),
        sample!(whole([3, 4]), symmetric(Q8, COLUMNS), whole([4, 6]), affine(Q8, BLOCKS), float_dtype())
            .named("scales along the sum")
            .as_given(),
        sample!(
            whole([2, 3, 4]),
            affine(Q8, COLUMNS),
            whole([4]),
            affine(Q8, QuantLevel::Tensor),
            float_dtype()
        )
        .named("a batch times a vector")
        .as_given(),
    ]
}

/// Whole numbers so large that none is likely to lie between two codes.
fn whole(shape: impl Into<Shape>) -> IntInput {
    int(shape).range(-1024, 1024)
}

fn quantized(x: FloatTensor<Dispatch>, scheme: QuantScheme) -> QuantizedTensor<Dispatch> {
    Dispatch::quantize_dynamic(x, scheme)
}

opswitch_testing::conformance! { Dispatch, QuantizedOps {
    q_from_parts elsewhere;
    q_into_parts elsewhere;
    quantize { |x, scale, zero_point, scheme| Dispatch::q_codes(Dispatch::quantize(x, scale, zero_point, scheme)) } => [
        sample!(numbers([3, 5]), scale([0.03125], []), None::<IntInput>, symmetric(QuantBits::Q8, QuantLevel::Tensor))
            .as_given(),
        sample!(numbers([3, 5]), scale([0.5, 0.25, 1.0], [3]), Some(ints([-3, 0, 2], [3])), affine(QuantBits::Q4, ROWS))
            .named("rows").as_given(),
        sample!(
            scale([f64::INFINITY, f64::NEG_INFINITY, 1e4, -1e4, 0.75, 1.25], [6]), scale([0.5], []),
            Some(ints([1], [])), affine(QuantBits::Q8, QuantLevel::Tensor)
        ).named("beyond the codes, and between two").as_given(),
        sample!(numbers([2, 6]), scale([0.5, 0.25, 1.0, 0.125, 2.0, 0.5], [2, 3]), None, symmetric(QuantBits::Q8, BLOCKS))
            .named("blocks").as_given(),
    ];
    quantize_dynamic { |x, scheme| Dispatch::quantize_dynamic(x, scheme) } => dynamic();
    dequantize { |x, scheme, dtype| Dispatch::dequantize(quantized(x, scheme), dtype) } => [
        sample!(numbers([3, 5]), symmetric(QuantBits::Q8, COLUMNS), float_dtype()),
        sample!(numbers([2, 6]), affine(QuantBits::Q4, BLOCKS), float_dtype()).named("blocks").as_given(),
    ];
    q_from_codes { |codes, scale, zero_point, scheme| Dispatch::q_from_codes(codes, scale, zero_point, scheme) } => [
        sample!(int([3, 5]).range(-127, 128), scale([0.5, 0.25, 1.0], [3]), None::<IntInput>, symmetric(QuantBits::Q8, ROWS))
            .as_given(),
        sample!(int([2, 11]).range(-8, 8), scale([0.5], []), Some(ints([3], [])), affine(QuantBits::Q4, QuantLevel::Tensor))
            .named("affine").as_given(),
    ];
    q_codes { |x, scheme| Dispatch::q_codes(quantized(x, scheme)) } => dynamic();
    q_scale { |x, scheme| Dispatch::q_scale(quantized(x, scheme)) } => dynamic().map(|sample| sample.only(WIDE));
    q_zero_point { |x, scheme| Dispatch::q_zero_point(quantized(x, scheme)).expect("the scheme is affine") } => [
        sample!(numbers([3, 5]), affine(QuantBits::Q8, ROWS)),
        sample!(numbers([2, 6]), affine(QuantBits::Q4, BLOCKS)).named("blocks").as_given(),
    ];
    // Of ints, which tell where they are as codes do.
    q_matmul { |lhs, lhs_scheme, rhs, rhs_scheme, dtype| {
        let numbers = |x| Dispatch::float_div_scalar(Dispatch::int_into_float(x, dtype), 256.0);
        let [lhs, rhs] = [(lhs, lhs_scheme), (rhs, rhs_scheme)].map(|(x, scheme)| quantized(numbers(x), scheme));
        Dispatch::q_matmul(lhs, rhs)
    } } => products().map(|sample| sample.only(WIDE));
    q_reshape { |x, scheme, shape| Dispatch::q_reshape(quantized(x, scheme), shape) } => [
        sample!(numbers([2, 6]), symmetric(QuantBits::Q4, QuantLevel::Tensor), Shape::from([3, 4])).as_given(),
        sample!(numbers([2, 6]), affine(QuantBits::Q8, ROWS), Shape::from([2, 3, 2])).named("rows").as_given(),
        sample!(numbers([2, 6]), affine(QuantBits::Q8, BLOCKS), Shape::from([3, 4])).named("blocks").as_given(),
    ];
    q_permute { |x, scheme, axes| Dispatch::q_permute(quantized(x, scheme), axes) } => [
        sample!(numbers([2, 3, 4]), symmetric(QuantBits::Q4, COLUMNS), list(&[2, 0, 1])),
        sample!(numbers([2, 3, 4]), affine(QuantBits::Q8, BLOCKS), list(&[1, 0, 2])).named("blocks").as_given(),
    ];
    q_swap_dims { |x, scheme, dim1, dim2| Dispatch::q_swap_dims(quantized(x, scheme), dim1, dim2) } => [
        sample!(numbers([2, 3, 4]), affine(QuantBits::Q8, ROWS), 0usize, 2usize),
    ];
    q_expand { |x, scheme, shape| Dispatch::q_expand(quantized(x, scheme), shape) } => [
        sample!(numbers([3, 1]), symmetric(QuantBits::Q8, ROWS), Shape::from([2, 3, 4])).as_given(),
        sample!(numbers([1, 4]), affine(QuantBits::Q4, BLOCKS), Shape::from([3, 4])).named("blocks").as_given(),
    ];
    q_flip { |x, scheme, dims| Dispatch::q_flip(quantized(x, scheme), dims) } => [
        sample!(numbers([2, 3, 4]), affine(QuantBits::Q8, ROWS), list(&[0, 2])),
        sample!(numbers([2, 6]), affine(QuantBits::Q4, BLOCKS), list(&[1])).named("blocks").as_given(),
    ];
    q_slice { |x, scheme, slices| Dispatch::q_slice(quantized(x, scheme), slices) } => [
        sample!(numbers([5, 6]), affine(QuantBits::Q8, ROWS), STEPS),
        sample!(numbers([5, 6]), symmetric(QuantBits::Q4, BLOCKS), PAIRS).named("blocks").as_given(),
    ];
    q_select { |x, scheme, dim, index| Dispatch::q_select(quantized(x, scheme), dim, index) } => [
        sample!(numbers([3, 4]), affine(QuantBits::Q8, COLUMNS), 1usize, int([6]).range(0, 4)).as_given(),
        sample!(numbers([3, 4]), affine(QuantBits::Q8, BLOCKS), 0usize, int([6]).range(0, 3)).named("blocks").as_given(),
    ];
}}

/// Two of five from the second on, backwards, and every other of six.
const STEPS: &[Slice] = &[Slice::new(Some(3), Some(1), -1), Slice::new(None, None, 2)];

/// The last two pairs of every other row.
const PAIRS: &[Slice] = &[Slice::new(None, None, 2), Slice::new(Some(2), None, 1)];
