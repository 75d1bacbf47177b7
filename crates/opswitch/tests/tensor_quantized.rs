//! Quantized tensors against their definition: a code q stands for `(q - zero_point) * scale`.
#![cfg(feature = "cpu")]

mod tensor_support;

use opswitch::{
    DispatchDevice, Float, Int, QuantBits, QuantLevel, QuantMode, QuantScheme, Quantized, QuantizedData,
    Tensor, TensorData, TensorKind, s,
};
use tensor_support::panic_text;

use QuantBits::{Q4, Q8};
use QuantLevel::{Block, Channel};
use QuantMode::{Affine, Symmetric};

fn scheme(mode: QuantMode, bits: QuantBits, level: QuantLevel) -> QuantScheme {
    QuantScheme::new(mode, bits, level)
}

/// Numbers without a visible pattern in -4..4.
fn numbers<const D: usize>(shape: [usize; D]) -> Tensor<D> {
    let count: usize = shape.iter().product();
    let value = |i: usize| ((i * 7919 + 104_729) % 8191) as f32 / 1024.0 - 4.0;
    Tensor::from_values((0..count).map(value).collect::<Vec<f32>>(), shape, &DispatchDevice::default())
}

fn values<const D: usize>(x: Tensor<D>) -> Vec<f32> {
    x.to_vec().unwrap()
}

/// Every scheme that a tensor with a last extent of 12 can have.
fn schemes(rank: usize) -> Vec<QuantScheme> {
    let channels = (0..rank).map(|axis| Channel { axis });
    let levels: Vec<_> =
        channels.chain([QuantLevel::Tensor, Block { size: 4 }, Block { size: 12 }]).collect();
    let all = |mode| [Q8, Q4].into_iter().map(move |bits| (mode, bits));
    let modes = all(Symmetric).chain(all(Affine));
    modes.flat_map(|(mode, bits)| levels.iter().map(move |&level| scheme(mode, bits, level))).collect()
}

#[test]
fn every_number_is_within_half_a_step() {
    for scheme in schemes(3) {
        let x = numbers([2, 3, 12]);
        let q = x.clone().quantize_dynamic(scheme);
        // The range of all numbers, with 0, divided by the steps that there are; a zero point adds half of one.
        let steps = (scheme.codes().end() - scheme.codes().start()) as f32;
        let distances = (q.dequantize() - x).abs().max().into_scalar::<f32>().unwrap();
        assert!(distances <= 8.0 / steps * 1.01, "{scheme:?}: {distances}");
    }
}

#[test]
fn memory_is_that_of_the_codes() {
    for (bits, bytes) in [(Q8, 1024), (Q4, 512)] {
        let q = numbers([16, 64]).quantize_dynamic(scheme(Symmetric, bits, QuantLevel::Tensor));
        assert_eq!(q.into_quantized_data().unwrap().as_bytes().len(), bytes);
    }
    // A row of 9 codes has 3 words of 8-bit codes, and 2 of 4-bit codes.
    for (bits, bytes) in [(Q8, 24), (Q4, 16)] {
        let q = numbers([2, 9]).quantize_dynamic(scheme(Affine, bits, Channel { axis: 1 }));
        assert_eq!(q.into_quantized_data().unwrap().as_bytes().len(), bytes);
    }
}

#[test]
fn codes_outside_the_range_are_cut_off() {
    let x = Tensor::<1>::from_floats(
        [f32::INFINITY, f32::NEG_INFINITY, 1e9, f32::NAN, 2.5, 3.5],
        &DispatchDevice::default(),
    );
    let one = Tensor::<0>::full([], 1.0, &DispatchDevice::default());
    let q = x.quantize(one, None, scheme(Symmetric, Q4, QuantLevel::Tensor));
    assert_eq!(q.codes().to_vec::<i64>().unwrap(), [7, -7, 7, 0, 2, 4]);
}

/// Movement before and after quantization gives the same numbers, where the scheme says the same of both.
#[test]
fn movement_takes_scales_along() {
    for scheme in schemes(3) {
        let q = numbers([2, 3, 12]).quantize_dynamic(scheme);
        let x = q.clone().dequantize();
        let same = |moved: Tensor<3, Quantized>, expected: Tensor<3>, what: &str| {
            assert_eq!(moved.shape(), expected.shape(), "{what}, {scheme:?}");
            assert_eq!(values(moved.dequantize()), values(expected), "{what}, {scheme:?}");
        };
        same(q.clone().q_permute([1, 0, 2]), x.clone().permute([1, 0, 2]), "permute");
        same(q.clone().q_flip([0, 2]), x.clone().flip([0, 2]), "flip");
        same(q.clone().q_flip([1]), x.clone().flip([1]), "flip");
        same(q.clone().q_slice(s![..;-1, 1..]), x.clone().slice(s![..;-1, 1..]), "slice");
        same(q.clone().q_slice((.., ..2, 0..12)), x.clone().slice((.., ..2, 0..12)), "slice");
        same(q.clone().q_slice((.., .., 3..3)), x.clone().slice((.., .., 3..3)), "slice of nothing");
        let index = Tensor::<1, Int>::from_ints([2, 0, 2, 1], &DispatchDevice::default());
        same(q.clone().q_select(1, index.clone()), x.clone().select(1, index), "select");
        let (wide, expected) =
            (q.clone().q_slice(1..).q_expand([3, 3, 12]), x.clone().slice(1..).expand([3, 3, 12]));
        same(wide, expected, "expand");
        let wide = q.clone().q_expand([2, 2, 3, 12]).dequantize();
        assert_eq!(values(wide), values(x.clone().expand([2, 2, 3, 12])), "expand, {scheme:?}");
        if scheme.level != (Channel { axis: 1 }) {
            let moved = q.clone().q_reshape([2, 3, 1, 12]).dequantize();
            assert_eq!(values(moved), values(x.clone()), "reshape, {scheme:?}");
        }
        if !matches!(scheme.level, Block { .. }) {
            same(q.q_swap_dims(-1, 0), x.swap_dims(-1, 0), "swap_dims");
        }
    }
}

#[test]
fn movement_that_would_break_the_scheme_is_refused() {
    let rows = || numbers([2, 12]).quantize_dynamic(scheme(Symmetric, Q8, Channel { axis: 1 }));
    let blocks = || numbers([2, 12]).quantize_dynamic(scheme(Affine, Q4, Block { size: 4 }));
    for (text, words) in [
        (panic_text(|| rows().q_reshape([4, 6])), "q_reshape: shapes [2, 12] and [4, 6] do not fit"),
        (panic_text(|| rows().q_reshape([5, 6])), "q_reshape: shapes [2, 12] and [5, 6] do not fit"),
        (panic_text(|| blocks().q_reshape([4, 6])), "blocks would not lie in the last dimension"),
        (panic_text(|| blocks().q_swap_dims(0, 1)), "q_swap_dims: shape [2, 12] does not fit"),
        (panic_text(|| blocks().q_slice((.., 2..6))), "blocks of 4 would be cut"),
        (panic_text(|| blocks().q_slice(s![.., ..;2])), "blocks of 4 would be cut"),
        (
            panic_text(|| blocks().q_select(1, Tensor::<1, Int>::from_ints([0], &DispatchDevice::default()))),
            "blocks of 4 would be cut",
        ),
        (panic_text(|| rows().q_flip([0]).q_expand([3, 12])), "q_expand"),
        (panic_text(|| rows().zero_point::<1>()), "has no zero point"),
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn scales_that_do_not_fit_are_refused() {
    let scale = |len| Tensor::<1>::ones([len], &DispatchDevice::default());
    let zero = || Some(Tensor::<1, Int>::zeros([2], &DispatchDevice::default()));
    let x = || numbers([2, 12]);
    for (text, words) in [
        (
            panic_text(|| x().quantize(scale(3), None, scheme(Symmetric, Q8, Channel { axis: 0 }))),
            "quantize: shapes [3] and [2] do not fit",
        ),
        (
            panic_text(|| x().quantize(scale(2), None, scheme(Symmetric, Q8, Channel { axis: 2 }))),
            "quantize: shape [2, 12] does not fit: there is no dimension 2",
        ),
        (
            panic_text(|| x().quantize_dynamic(scheme(Affine, Q8, Block { size: 5 }))),
            "quantize_dynamic: shape [2, 12] does not fit: its last dimension is not made of blocks of 5",
        ),
        (
            panic_text(|| x().quantize_dynamic(scheme(Affine, Q8, Block { size: 0 }))),
            "is not made of blocks of 0",
        ),
        (
            panic_text(|| x().quantize(scale(2), zero(), scheme(Symmetric, Q8, Channel { axis: 0 }))),
            "a symmetric scheme has no zero point",
        ),
        (
            panic_text(|| x().quantize(scale(2), None, scheme(Affine, Q8, Channel { axis: 0 }))),
            "an affine scheme has a zero point",
        ),
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// Against the product of the numbers that the codes stand for, whatever shares a scale on either side.
#[test]
fn products_of_codes_are_those_of_their_numbers() {
    for left in schemes(2) {
        for right in schemes(2) {
            let (lhs, rhs) =
                (numbers([3, 12]).quantize_dynamic(left), numbers([12, 12]).quantize_dynamic(right));
            let expected = values(lhs.clone().dequantize().matmul(rhs.clone().dequantize()));
            for (found, expected) in values(lhs.q_matmul(rhs)).iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-4 * expected.abs().max(1.0), "{left:?} {right:?}");
            }
        }
    }
    let q = |x: Tensor<2>| x.quantize_dynamic(scheme(Symmetric, Q8, QuantLevel::Tensor));
    let text = panic_text(|| q(numbers([2, 3])).q_matmul(q(numbers([2, 3]))));
    assert!(text.starts_with("q_matmul: shapes [2, 3] and [2, 3] do not fit"), "{text}");
}

/// The greatest products of 8-bit codes, of which `f32` holds the sum exactly.
#[test]
fn sums_of_products_of_codes_are_exact() {
    let codes = |shape| Tensor::<2, Int>::full(shape, 127, &DispatchDevice::default());
    let one = || Tensor::<0>::full([], 1.0, &DispatchDevice::default());
    let q = |shape| Tensor::from_codes(codes(shape), one(), None, scheme(Symmetric, Q8, QuantLevel::Tensor));
    let product = q([1, 1040]).q_matmul(q([1040, 1]));
    assert_eq!(values(product), [(1040 * 127 * 127) as f32]);
}

#[test]
fn tensors_without_elements_or_dimensions() {
    for scheme in [scheme(Affine, Q4, QuantLevel::Tensor), scheme(Symmetric, Q8, Channel { axis: 0 })] {
        let q = numbers([0, 3]).quantize_dynamic(scheme);
        assert_eq!((q.shape(), values(q.dequantize()).len()), ([0, 3], 0));
        let q = numbers([3, 0]).quantize_dynamic(scheme);
        assert_eq!((q.shape(), values(q.dequantize()).len()), ([3, 0], 0));
    }
    let q = Tensor::<0>::full([], 2.54, &DispatchDevice::default()).quantize_dynamic(scheme(
        Symmetric,
        Q8,
        QuantLevel::Tensor,
    ));
    assert_eq!((values(q.clone().dequantize()), q.codes().into_scalar::<i64>().unwrap()), (vec![2.54], 127));
    let zeros = Tensor::<2>::zeros([2, 4], &DispatchDevice::default());
    let q = zeros.quantize_dynamic(scheme(Affine, Q4, Block { size: 2 }));
    assert_eq!(values(q.dequantize()), [0.0; 8]);
}

#[test]
fn data_holds_codes_and_scales() {
    for scheme in schemes(2) {
        let q = numbers([3, 12]).quantize_dynamic(scheme);
        let data = q.clone().into_quantized_data().unwrap();
        assert_eq!(data.scheme(), scheme);
        assert_eq!(data.codes(), q.clone().codes().to_vec::<i64>().unwrap());
        let expected = values(q.dequantize());
        assert_eq!(TensorData::from(data.clone()).to_vec::<f32>(), expected);
        let codes = TensorData::new(data.codes(), [3, 12]).unwrap();
        let made =
            QuantizedData::new(&codes, data.scale().clone(), data.zero_point().cloned(), scheme).unwrap();
        assert_eq!(made, data);
        let again = Tensor::<2, Quantized>::from_data(made.into(), &DispatchDevice::default());
        assert_eq!((again.scheme(), values(again.dequantize())), (scheme, expected));
    }
    let data = TensorData::new(vec![1f32], [1]).unwrap();
    let error = Quantized::from_data::<opswitch::Dispatch>(data, &DispatchDevice::default()).unwrap_err();
    assert!(error.to_string().contains("quantized"), "{error}");
}

#[test]
fn no_gradient_flows_through_codes() {
    let device = DispatchDevice::default().autodiff();
    let x = Tensor::<1, Float>::from_floats([1.0, 2.0], &device).require_grad();
    let q = x.clone().quantize_dynamic(scheme(Symmetric, Q8, QuantLevel::Tensor));
    let loss = (q.dequantize() * x.clone()).sum();
    let gradient = x.grad(&loss.backward()).expect("the loss depends on it");
    for (found, expected) in values(gradient).iter().zip([1.0, 2.0]) {
        assert!((found - expected).abs() < 0.02, "{found} is not {expected}");
    }
}
