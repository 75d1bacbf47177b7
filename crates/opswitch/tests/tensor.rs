//! The tensor type against closed forms and values from NumPy 2.4.6 (in comments where they are not obvious).
#![cfg(feature = "cpu")]

mod tensor_support;

use opswitch::{
    Bool, DType, Float, Int, Slice, TensorData,
    ops::{CrossEntropy, Distribution, Norm, PadMode, Reduction},
    s,
};
use opswitch_cpu::{Cpu, CpuDevice};
use tensor_support::panic_text;

type Tensor<const D: usize, K = Float> = opswitch::Tensor<D, K, Cpu>;

const CPU: &CpuDevice = &CpuDevice;

/// The matrix 0, 1, .. 11 of shape [3, 4].
fn counting() -> Tensor<2> {
    Tensor::<1, Int>::arange(0..12, CPU).float().reshape([3, 4])
}

fn values<const D: usize>(x: Tensor<D>) -> Vec<f32> {
    x.to_vec().unwrap()
}

fn ints<const D: usize>(x: Tensor<D, Int>) -> Vec<i64> {
    x.to_vec().unwrap()
}

fn bools<const D: usize>(x: Tensor<D, Bool>) -> Vec<bool> {
    x.to_vec().unwrap()
}

#[track_caller]
fn assert_close<const D: usize>(x: Tensor<D>, expected: &[f64]) {
    let found: Vec<f64> = x.to_vec().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found} is not {expected}");
    }
}

mod creation {
    use super::*;

    #[test]
    fn defaults_are_f32_and_i64() {
        assert_eq!(
            Tensor::<2>::zeros([2, 3], CPU).into_data().unwrap(),
            TensorData::new(vec![0f32; 6], [2, 3]).unwrap()
        );
        assert_eq!(
            Tensor::<1, Int>::ones([2], CPU).into_data().unwrap(),
            TensorData::new(vec![1i64; 2], [2]).unwrap()
        );
        assert_eq!(Tensor::<0>::full([], 2.5, CPU).into_scalar::<f64>().unwrap(), 2.5);
        assert_eq!(bools(Tensor::<1, Bool>::full([2], true, CPU)), [true, true]);
    }

    #[test]
    fn element_types_can_be_named() {
        let x = Tensor::<1>::full_with_dtype([2], 0.1, DType::F64, CPU);
        assert_eq!((x.dtype(), x.to_vec::<f64>().unwrap()), (DType::F64, vec![0.1; 2]));
        assert_eq!(x.zeros_like().dtype(), DType::F64);
        assert_eq!(
            Tensor::<1, Int>::full_with_dtype([1], 300, DType::U8, CPU).to_vec::<i64>().unwrap(),
            [44]
        );
        let text = panic_text(|| Tensor::<1>::zeros_with_dtype([1], DType::I64, CPU));
        assert_eq!(text, "cpu has no float tensors of type i64");
    }

    #[test]
    fn nested_arrays_give_their_shape() {
        let x = Tensor::from_floats([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]], CPU);
        assert_eq!(x.shape(), [1, 3, 2]);
        assert_eq!(values(x), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(Tensor::<2, Int>::from_ints([[1], [2]], CPU).shape(), [2, 1]);
        assert_eq!(Tensor::<1, Bool>::from_bools([true, false], CPU).shape(), [2]);
        assert_eq!(Tensor::<2>::from_values(vec![1f64, 2.0], [2, 1], CPU).dtype(), DType::F64);
    }

    #[test]
    fn data_of_another_rank_is_refused() {
        let text = panic_text(|| {
            let data = TensorData::new(vec![1f32; 6], [2, 3]).unwrap();
            Tensor::<3>::from_data(data, CPU)
        });
        assert_eq!(
            text,
            "Tensor::from_data: shape [2, 3] does not fit: its rank is 2, but the tensor's type has rank 3"
        );
        let text = panic_text(|| Tensor::<1, Int>::from_values([1.5f32], [1], CPU));
        assert!(text.contains("int") && text.contains("f32"), "{text}");
    }

    #[test]
    fn ranges_count_in_both_directions() {
        assert_eq!(ints(Tensor::<1, Int>::arange(2..5, CPU)), [2, 3, 4]);
        assert_eq!(ints(Tensor::<1, Int>::arange_step(0, 10, 4, CPU)), [0, 4, 8]);
        assert_eq!(ints(Tensor::<1, Int>::arange_step(3, 0, -2, CPU)), [3, 1]);
    }

    #[test]
    fn a_seed_repeats_random_elements() {
        let draw = || {
            Tensor::<1>::seed(7, CPU);
            values(Tensor::<1>::random([64], Distribution::Uniform { low: 2.0, high: 3.0 }, CPU))
        };
        let first = draw();
        assert!(first.iter().all(|x| (2.0..=3.0).contains(x)));
        assert_eq!(first, draw());
    }
}

mod operators {
    use super::*;

    #[test]
    fn tensors_meet_owned_and_borrowed() {
        let (x, y) = (Tensor::<1>::from_floats([1.0, 2.0], CPU), Tensor::<1>::from_floats([4.0, 8.0], CPU));
        assert_eq!(values(&x + &y), [5.0, 10.0]);
        assert_eq!(values(&x - y.clone()), [-3.0, -6.0]);
        assert_eq!(values(x.clone() * &y), [4.0, 16.0]);
        assert_eq!(values(y.clone() / x.clone()), [4.0, 4.0]);
        assert_eq!(values(-&x), [-1.0, -2.0]);
        // Python: -7 % 3 = 2
        assert_eq!(values(Tensor::<1>::from_floats([-7.0], CPU) % Tensor::from_floats([3.0], CPU)), [2.0]);
    }

    #[test]
    fn scalars_stand_on_both_sides() {
        let x = Tensor::<1>::from_floats([1.0, 2.0], CPU);
        assert_eq!(values(2.0 * &x + 1), [3.0, 5.0]);
        assert_eq!(values(1.0 - x.clone()), [0.0, -1.0]);
        assert_eq!(values(1.0 / &x), [1.0, 0.5]);
        assert_eq!(values(&x / 2usize), [0.5, 1.0]);
        // The compiler knows the result of a literal beside a tensor.
        assert_eq!((2.0 * &x - 1.0).sum().into_scalar::<f32>().unwrap(), 4.0);
        let factor = 0.5f32;
        assert_eq!((&x * factor).max().into_scalar::<f32>().unwrap(), 1.0);
        let n = Tensor::<1, Int>::from_ints([-7, 7], CPU);
        assert_eq!(ints(&n / 2), [-3, 3]);
        assert_eq!(ints(&n % 3), [2, 1]);
        assert_eq!(ints(10i64 - n.clone()), [17, 3]);
        assert_eq!(ints(100 / n), [-14, 14]);
    }

    #[test]
    fn scalars_keep_the_element_type() {
        let x = Tensor::<1>::full_with_dtype([1], 0.1, DType::F64, CPU);
        assert_eq!((1.0 - x.clone()).dtype(), DType::F64);
        assert_eq!((x + 0.2).to_vec::<f64>().unwrap(), [0.1 + 0.2]);
    }

    #[test]
    fn extents_of_one_broadcast() {
        let column = Tensor::<2>::from_floats([[10.0], [20.0]], CPU);
        let row = Tensor::<2>::from_floats([[1.0, 2.0, 3.0]], CPU);
        assert_eq!((&column + &row).shape(), [2, 3]);
        assert_eq!(values(column + row), [11.0, 12.0, 13.0, 21.0, 22.0, 23.0]);
    }

    #[test]
    fn a_misfit_names_op_and_shapes_at_the_callers_line() {
        let text = panic_text(|| Tensor::<2>::zeros([2, 3], CPU) + Tensor::<2>::zeros([2, 4], CPU));
        assert!(text.starts_with("float_add: shapes [2, 3] and [2, 4] do not fit"), "{text}");
    }

    #[test]
    fn bools_combine() {
        let (x, y) = (
            Tensor::<1, Bool>::from_bools([true, true, false], CPU),
            Tensor::from_bools([true, false, false], CPU),
        );
        assert_eq!(bools(&x & &y), [true, false, false]);
        assert_eq!(bools(&x | &y), [true, true, false]);
        assert_eq!(bools(&x ^ &y), [false, true, false]);
        assert_eq!(bools(!&x), [false, false, true]);
        assert_eq!(bools(x.clone().eq(y.clone())), [true, false, true]);
        assert!(x.clone().any().into_scalar::<bool>().unwrap());
        assert!(!x.all().into_scalar::<bool>().unwrap());
        assert_eq!(ints(y.int()), [1, 0, 0]);
    }

    #[test]
    fn bits_combine_and_move() {
        let x = Tensor::<1, Int>::from_ints([0b1100, 0b1010, -1], CPU);
        let y = Tensor::<1, Int>::from_ints([0b1010, 0b0110, 3], CPU);
        assert_eq!(ints(&x & &y), [0b1000, 0b0010, 3]);
        assert_eq!(ints(&x | &y), [0b1110, 0b1110, -1]);
        assert_eq!(ints(&x ^ &y), [0b0110, 0b1100, -4]);
        assert_eq!(ints(!&x), [-13, -11, 0]);
        assert_eq!(ints(&x & 6), [0b0100, 0b0010, 6]);
        assert_eq!(ints(&x << 2), [48, 40, -4]);
        assert_eq!(ints(&x >> 2), [3, 2, -1]);
        assert_eq!(ints(x >> y), [0, 0, -1]);
        // Past the bits there are none.
        assert_eq!(ints(Tensor::<1, Int>::from_ints([5, -5], CPU) << 64), [0, 0]);
        assert_eq!(ints(Tensor::<1, Int>::from_ints([5, -5], CPU) >> -1), [0, -1]);
    }

    #[test]
    fn comparisons_compare_elements() {
        let x = Tensor::<1>::from_floats([1.0, 2.0, f32::NAN], CPU);
        assert_eq!(bools(x.clone().lt_scalar(1.5)), [true, false, false]);
        assert_eq!(bools(x.clone().ge(Tensor::full([3], 2.0, CPU))), [false, true, false]);
        assert_eq!(bools(x.clone().ne(x.clone())), [false, false, true]);
        assert_eq!(bools(x.is_nan()), [false, false, true]);
        assert_eq!(bools(Tensor::<1, Int>::arange(0..3, CPU).eq_scalar(1)), [false, true, false]);
    }
}

mod movement {
    use super::*;

    #[test]
    fn reshape_fills_in_one_extent() {
        assert_eq!(counting().reshape([2, -1]).shape(), [2, 6]);
        assert_eq!(counting().reshape([12usize]).shape(), [12]);
        let text = panic_text(|| counting().reshape([5, -1]));
        assert!(text.starts_with("reshape: shape [3, 4] does not fit: it cannot become [5, -1]"), "{text}");
        let text = panic_text(|| counting().reshape([5, 2]));
        assert!(text.contains("[3, 4] and [5, 2]"), "{text}");
    }

    #[test]
    fn dimensions_move() {
        let x = counting();
        assert_eq!(values(x.clone().transpose().slice(..1)), [0.0, 4.0, 8.0]);
        assert_eq!(x.clone().permute([-1, 0]).shape(), [4, 3]);
        assert_eq!(x.clone().swap_dims(0, -1).shape(), [4, 3]);
        assert_eq!(x.clone().unsqueeze_dim::<3>(-1).shape(), [3, 4, 1]);
        assert_eq!(x.clone().unsqueeze_dim::<3>(1).shape(), [3, 1, 4]);
        assert_eq!(x.clone().unsqueeze::<4>().shape(), [1, 1, 3, 4]);
        assert_eq!(x.clone().unsqueeze::<4>().squeeze::<2>().shape(), [3, 4]);
        assert_eq!(x.clone().sum_dim(-1).squeeze_dim::<1>(1).shape(), [3]);
        assert_eq!(x.clone().unsqueeze::<3>().flatten::<2>(0, -2).shape(), [3, 4]);
        assert_eq!(values(x.flip([-2]).slice(..1)), [8.0, 9.0, 10.0, 11.0]);
        assert_eq!(Tensor::<2, Int>::from_ints([[1], [2]], CPU).expand([3, 2, 2]).shape(), [3, 2, 2]);
    }

    #[test]
    fn misuse_names_op_and_shape() {
        let text = panic_text(|| counting().flip([2]));
        assert_eq!(text, "flip: shape [3, 4] does not fit: there is no dimension 2");
        let text = panic_text(|| counting().sum_dim(-3));
        assert_eq!(text, "sum_dim: shape [3, 4] does not fit: there is no dimension -3");
        let text = panic_text(|| counting().squeeze_dim::<1>(0));
        assert_eq!(text, "squeeze_dim: shape [3, 4] does not fit: dimension 0 has extent 3, not 1");
        let text = panic_text(|| counting().permute([0, -2]));
        assert_eq!(text, "permute: shape [3, 4] does not fit: dimension 0 is given twice");
        let text = panic_text(|| counting().squeeze::<1>());
        assert!(text.starts_with("squeeze: shapes [3, 4] and [3, 4] do not fit"), "{text}");
        let text = panic_text(|| Tensor::stack::<3>(vec![counting(), counting().transpose()], 0));
        assert!(text.starts_with("stack: shapes [3, 4] and [4, 3] do not fit"), "{text}");
        let text = panic_text(|| Tensor::<2>::cat(vec![], 0));
        assert!(text.starts_with("cat: "), "{text}");
    }

    #[test]
    fn tensors_are_joined_and_cut() {
        let x = counting();
        let pieces = x.clone().split(3, -1);
        assert_eq!(pieces.iter().map(Tensor::shape).collect::<Vec<_>>(), [[3, 3], [3, 1]]);
        assert_eq!(values(Tensor::cat(pieces, 1)), values(x.clone()));
        let layers = Tensor::stack::<3>(vec![x.clone(), -&x], -1);
        assert_eq!(layers.shape(), [3, 4, 2]);
        assert_eq!(values(layers.slice((1..2, 1..2))), [5.0, -5.0]);
        assert_eq!(values(x.narrow(0, 1, 1)), [4.0, 5.0, 6.0, 7.0]);
    }

    #[test]
    fn slices_are_numpys() {
        let x = counting();
        assert_eq!(values(x.clone().slice((1..2, ..-2))), [4.0, 5.0]);
        assert_eq!(values(x.clone().slice([2..=2, -1..=-1])), [11.0]);
        let (first, last) = (1usize, 3usize);
        assert_eq!(values(x.clone().slice((.., first..last)).slice(2..)), [9.0, 10.0]);
        // x[::-2, 3:0:-2]
        assert_eq!(values(x.clone().slice(s![..;-2, 3..0;-2])), [11.0, 9.0, 3.0, 1.0]);
        assert_eq!(x.clone().slice(Slice::new(Some(5), None, 1)).shape(), [0, 4]);
        let text = panic_text(|| counting().slice((.., .., ..)));
        assert_eq!(text, "slice: shape [3, 4] does not fit: 3 ranges are given for 2 dimensions");
    }

    #[test]
    fn slices_are_replaced() {
        let x = Tensor::<2>::zeros([2, 3], CPU)
            .slice_assign(s![.., ..;2], Tensor::from_floats([[1.0, 2.0]], CPU));
        assert_eq!(values(x), [1.0, 0.0, 2.0, 1.0, 0.0, 2.0]);
    }
}

mod reductions {
    use super::*;

    #[test]
    fn everything_becomes_a_tensor_without_dimensions() {
        let x = counting();
        assert_eq!(x.clone().sum().into_scalar::<f32>().unwrap(), 66.0);
        assert_eq!(x.clone().mean().into_scalar::<f32>().unwrap(), 5.5);
        assert_eq!(x.clone().max().into_scalar::<f32>().unwrap(), 11.0);
        assert_eq!(x.clone().min().into_scalar::<f32>().unwrap(), 0.0);
        // The variance of 0..n is (n² - 1) / 12.
        assert_close(x.clone().var(0), &[143.0 / 12.0]);
        assert_close(x.clone().var(1), &[13.0]);
        // ln Σ e^i = 11 + ln((1 - e^-12) / (1 - e^-1))
        assert_close(x.log_sum_exp(), &[11.0 + ((1.0 - (-12f64).exp()) / (1.0 - (-1f64).exp())).ln()]);
        assert_eq!(Tensor::<1, Int>::arange(0..5, CPU).sum().into_scalar::<i64>().unwrap(), 10);
    }

    #[test]
    fn a_dimension_stays_with_extent_one() {
        let x = counting();
        assert_eq!(x.clone().sum_dim(0).shape(), [1, 4]);
        assert_eq!(values(x.clone().sum_dim(0)), [12.0, 15.0, 18.0, 21.0]);
        assert_eq!(values(x.clone().mean_dim(-1)), [1.5, 5.5, 9.5]);
        assert_eq!(values(x.clone().max_dim(1)), [3.0, 7.0, 11.0]);
        assert_eq!(values(x.clone().sum_dims([0, -1])), [66.0]);
        assert_eq!(ints(x.clone().argmax(-1)), [3, 3, 3]);
        assert_eq!(ints(x.clone().argmin(0)), [0, 0, 0, 0]);
        let (greatest, places) = x.clone().max_dim_with_indices(0);
        assert_eq!((values(greatest), ints(places)), (vec![8.0, 9.0, 10.0, 11.0], vec![2; 4]));
        assert_close(x.var_dim(1, 0), &[1.25; 3]);
    }

    #[test]
    fn one_element_is_asked_for() {
        let text = panic_text(|| counting().into_scalar::<f32>());
        assert_eq!(
            text,
            "into_scalar: shape [3, 4] does not fit: one element is asked for, but there are 12"
        );
    }
}

mod elements {
    use super::*;

    #[test]
    fn unary_methods_call_their_ops() {
        let (e, x) = (std::f64::consts::E, 0.5f64);
        let apply = |func: fn(Tensor<1>) -> Tensor<1>| func(Tensor::from_floats([0.5], CPU));
        assert_close(apply(Tensor::exp), &[e.sqrt()]);
        assert_close(apply(Tensor::exp_m1), &[e.sqrt() - 1.0]);
        assert_close(apply(Tensor::ln), &[x.ln()]);
        assert_close(apply(Tensor::ln_1p), &[1.5f64.ln()]);
        assert_close(apply(Tensor::sqrt), &[x.sqrt()]);
        assert_close(apply(Tensor::rsqrt), &[2f64.sqrt()]);
        assert_close(apply(Tensor::recip), &[2.0]);
        assert_close(apply(Tensor::square), &[0.25]);
        assert_close(apply(Tensor::sin), &[x.sin()]);
        assert_close(apply(Tensor::cos), &[x.cos()]);
        assert_close(apply(Tensor::tan), &[x.tan()]);
        assert_close(apply(Tensor::asin), &[x.asin()]);
        assert_close(apply(Tensor::acos), &[x.acos()]);
        assert_close(apply(Tensor::atan), &[x.atan()]);
        assert_close(apply(Tensor::sinh), &[x.sinh()]);
        assert_close(apply(Tensor::cosh), &[x.cosh()]);
        assert_close(apply(Tensor::tanh), &[x.tanh()]);
        // Abramowitz and Stegun, table 7.1.
        assert_close(apply(Tensor::erf), &[0.520_499_877_8]);
        assert_close(apply(Tensor::sigmoid), &[1.0 / (1.0 + (-x).exp())]);
        assert_close(apply(Tensor::log_sigmoid), &[-(-x).exp().ln_1p()]);
        assert_close(apply(Tensor::silu), &[x / (1.0 + (-x).exp())]);
        // 0.5 Φ(0.5), with Φ(0.5) = 0.69146246 from a table of the normal distribution.
        assert_close(apply(Tensor::gelu), &[0.345_731_23]);
        assert_close(apply(|x| x.softplus(1.0)), &[x.exp().ln_1p()]);
    }

    #[test]
    fn rounding_and_signs() {
        let x = Tensor::<1>::from_floats([-1.5, -0.5, 0.5, 2.5], CPU);
        assert_eq!(values(x.clone().floor()), [-2.0, -1.0, 0.0, 2.0]);
        assert_eq!(values(x.clone().ceil()), [-1.0, 0.0, 1.0, 3.0]);
        assert_eq!(values(x.clone().round()), [-2.0, 0.0, 0.0, 2.0]);
        assert_eq!(values(x.clone().trunc()), [-1.0, 0.0, 0.0, 2.0]);
        assert_eq!(values(x.clone().sign()), [-1.0, -1.0, 1.0, 1.0]);
        assert_eq!(values(x.clone().abs()), [1.5, 0.5, 0.5, 2.5]);
        assert_eq!(values(x.clone().relu()), [0.0, 0.0, 0.5, 2.5]);
        assert_eq!(values(x.clone().leaky_relu(0.5)), [-0.75, -0.25, 0.5, 2.5]);
        assert_eq!(values(x.clone().clamp(-1, 1)), [-1.0, -0.5, 0.5, 1.0]);
        assert_eq!(values(x.clone().clamp_min(0)), [0.0, 0.0, 0.5, 2.5]);
        assert_eq!(values(x.clone().clamp_max(0)), [-1.5, -0.5, 0.0, 0.0]);
        assert_eq!(ints(x.int()), [-1, 0, 0, 2]);
    }

    #[test]
    fn powers_and_pairs() {
        let x = Tensor::<1>::from_floats([2.0, 3.0], CPU);
        let y = Tensor::<1>::from_floats([3.0, 2.0], CPU);
        assert_eq!(values(x.clone().powf(y.clone())), [8.0, 9.0]);
        assert_eq!(values(x.clone().powi_scalar(-1)), [0.5, 1.0 / 3.0]);
        assert_close(x.clone().powf_scalar(0.5), &[2f64.sqrt(), 3f64.sqrt()]);
        assert_eq!(values(x.clone().minimum(y.clone())), [2.0, 2.0]);
        assert_eq!(values(x.clone().maximum(y.clone())), [3.0, 3.0]);
        assert_close(x.atan2(y), &[2f64.atan2(3.0), 3f64.atan2(2.0)]);
    }

    #[test]
    fn matrices_multiply() {
        let (x, y) = (
            Tensor::<2>::from_floats([[1.0, 2.0], [3.0, 4.0]], CPU),
            Tensor::from_floats([[0.0, 1.0], [1.0, 0.0]], CPU),
        );
        assert_eq!(values(x.matmul(y)), [2.0, 1.0, 4.0, 3.0]);
        let batch = Tensor::<3>::ones([5, 2, 3], CPU).matmul(Tensor::ones([1, 3, 4], CPU));
        assert_eq!(batch.shape(), [5, 2, 4]);
        let v = Tensor::<1>::from_floats([1.0, 2.0, 3.0], CPU);
        assert_eq!(v.clone().dot(v).into_scalar::<f32>().unwrap(), 14.0);
        let text = panic_text(|| counting().matmul(counting()));
        assert!(text.contains("matmul: shapes [3, 4] and [3, 4] do not fit"), "{text}");
        let text = panic_text(|| Tensor::<1>::ones([2], CPU).matmul(Tensor::ones([2], CPU)));
        assert!(text.contains("vectors have `dot`"), "{text}");
    }

    #[test]
    fn equations_take_tensors_of_several_ranks() {
        let v = Tensor::<1>::from_floats([1.0, 2.0, 3.0], CPU);
        let rows = Tensor::<2>::from_floats([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]], CPU);
        assert_eq!(values(v.clone().outer(v.clone())), [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 3.0, 6.0, 9.0]);
        assert_eq!(values(Tensor::<1>::einsum("ij,j->i", (rows.clone(), v.clone()))), [7.0, 2.0]);
        assert_eq!(values(Tensor::<2>::einsum("ij->ji", [rows])), [1.0, 0.0, 0.0, 1.0, 2.0, 0.0]);
        assert_eq!(values(Tensor::<0>::einsum("i,i,i->", vec![v.clone(), v.clone(), v.clone()])), [36.0]);
        let text = panic_text(|| Tensor::<2>::einsum("i,i->i", (v.clone(), v.clone())));
        assert!(text.contains("einsum: shape [3] does not fit"), "{text}");
    }

    #[test]
    fn products_and_norms() {
        let x = || Tensor::<2>::from_floats([[1.0, -2.0], [3.0, -4.0]], CPU);
        assert_eq!(values(x().prod()), [24.0]);
        assert_eq!(values(x().prod_dim(-1)), [-2.0, -12.0]);
        assert_eq!(x().prod_dims([0, 1]).shape(), [1, 1]);
        assert_eq!(values(x().cumsum(0)), [1.0, -2.0, 4.0, -6.0]);
        assert_eq!(values(x().cumprod(-1)), [1.0, -2.0, 3.0, -12.0]);
        assert_close(x().norm(Norm::L2), &[30f64.sqrt()]);
        assert_eq!(values(x().norm_dim(0, Norm::L1)), [4.0, 6.0]);
        assert_eq!(values(x().norm_dims([0, 1], Norm::Infinity)), [4.0]);
        let text = panic_text(|| x().cumsum(2));
        assert!(text.contains("cumsum: shape [2, 2] does not fit: there is no dimension 2"), "{text}");
    }

    #[test]
    fn sorting_says_where_elements_were() {
        let x = || Tensor::<2>::from_floats([[2.0, 3.0, 1.0], [5.0, 4.0, 5.0]], CPU);
        let (sorted, places) = x().sort(-1, false);
        assert_eq!(values(sorted), [1.0, 2.0, 3.0, 4.0, 5.0, 5.0]);
        assert_eq!(ints(places), [2, 0, 1, 1, 0, 2]);
        assert_eq!(ints(x().argsort(0, true)), [1, 1, 1, 0, 0, 0]);
        let (greatest, places) = x().topk(2, 1, true);
        assert_eq!((values(greatest), ints(places)), (vec![3.0, 2.0, 5.0, 5.0], vec![1, 0, 0, 2]));
        let text = panic_text(|| x().topk(4, 1, true));
        assert!(text.contains("4 elements are asked for along dimension 1, which has 3"), "{text}");
    }

    #[test]
    fn elements_are_found_by_index() {
        let x = counting();
        let rows = Tensor::<1, Int>::from_ints([2, 0], CPU);
        assert_eq!(values(x.clone().select(-2, rows.clone()).slice((.., ..1))), [8.0, 0.0]);
        let columns = Tensor::<2, Int>::from_ints([[3], [0], [1]], CPU);
        assert_eq!(values(x.clone().gather(1, columns.clone())), [3.0, 4.0, 9.0]);
        let ones = Tensor::<2>::ones([3, 1], CPU);
        assert_eq!(values(x.zeros_like().scatter_add(1, columns, ones).sum_dim(0)), [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(
            values(x.zeros_like().select_add(0, rows, Tensor::ones([2, 4], CPU)).sum_dim(1)),
            [4.0, 0.0, 4.0]
        );
        let mask = x.clone().gt_scalar(9.5);
        assert_eq!(values(x.clone().mask_fill(mask.clone(), 0).sum_dim(1)), [6.0, 22.0, 17.0]);
        assert_eq!(values(x.clone().mask_where(mask, -&x).slice(2..)), [8.0, 9.0, -10.0, -11.0]);
        assert_eq!(
            values(Tensor::<1, Int>::from_ints([1, 0], CPU).one_hot::<2>(3)),
            [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
        );
    }

    #[test]
    fn ints_and_bools_are_found_by_index_too() {
        let x = Tensor::<1, Int>::from_ints([3, -1, 3, 0], CPU);
        assert_eq!(ints(x.clone().argmax(0)), [0]);
        assert_eq!(ints(x.clone().argmin(-1)), [1]);
        assert_eq!(ints(x.clone().sign()), [1, -1, 1, 0]);
        assert_eq!(ints(x.clone().cumsum(0)), [3, 2, 5, 5]);
        assert_eq!(ints(x.clone().slice(..3).prod_dim(0)), [-9]);
        assert_eq!(x.clone().prod().into_scalar::<i64>().unwrap(), 0);
        assert_eq!(bools(x.clone().any().unsqueeze::<1>()), [true]);
        assert_eq!(bools(x.clone().all_dim(0)), [false]);
        let index = Tensor::<1, Int>::from_ints([1, 1], CPU);
        let ones = Tensor::<1, Int>::ones([2], CPU);
        assert_eq!(ints(x.clone().scatter_add(0, index.clone(), ones.clone())), [3, 1, 3, 0]);
        assert_eq!(ints(x.clone().select_add(0, index.clone(), ones.clone())), [3, 1, 3, 0]);
        assert_eq!(ints(x.clone().slice_assign(s![..;2], ones.clone())), [1, -1, 1, 0]);
        assert_eq!(ints(index.clone().int_one_hot::<2>(2)), [0, 1, 0, 1]);
        let large = x.gt_scalar(1);
        assert_eq!(bools(large.clone().select(0, index.clone())), [false, false]);
        assert_eq!(bools(large.clone().gather(0, index - 1)), [true, true]);
        assert_eq!(bools(large.clone().mask_fill(large.clone(), false)), [false; 4]);
        assert_eq!(bools(large.clone().mask_where(large.clone(), !&large)), [false; 4]);
        assert_eq!(bools(large.clone().pad([(0, 1)], PadMode::Constant(true)).repeat([2])).len(), 10);
        assert_eq!(large.clone().unfold::<2>(0, 2, 1).shape(), [3, 2]);
        let text = panic_text(|| large.unfold::<2>(0, 5, 1));
        assert!(text.contains("unfold"), "{text}");
    }

    #[test]
    fn types_and_kinds_convert() {
        let x = Tensor::<1>::from_floats([0.0, 2.75, -1.5], CPU);
        assert_eq!(x.clone().cast(DType::F16).dtype(), DType::F16);
        assert_eq!(bools(x.clone().bool()), [false, true, true]);
        assert_eq!(x.clone().int_with_dtype(DType::I8).dtype(), DType::I8);
        let large = Tensor::<1, Int>::from_ints([(1 << 40) + 1], CPU).float_with_dtype(DType::F64);
        assert_eq!(large.to_vec::<f64>().unwrap(), [((1i64 << 40) + 1) as f64]);
        assert_eq!(panic_text(|| counting().cast(DType::U8)), "cpu has no float tensors of type u8");
    }

    #[test]
    fn softmax_and_losses() {
        let x = Tensor::<2>::from_floats([[0.0, 3f32.ln()], [1000.0, 1000.0]], CPU);
        assert_close(x.clone().softmax(-1), &[0.25, 0.75, 0.5, 0.5]);
        assert_close(x.clone().log_softmax(1), &[0.25f64.ln(), 0.75f64.ln(), 0.5f64.ln(), 0.5f64.ln()]);
        let target = Tensor::<1, Int>::from_ints([1, 0], CPU);
        let losses = x.clone().cross_entropy_losses(target.clone(), CrossEntropy::default());
        assert_close(losses, &[-0.75f64.ln(), 2f64.ln()]);
        let mean = x.clone().cross_entropy(target, CrossEntropy::default());
        assert_close(mean, &[(2f64.ln() - 0.75f64.ln()) / 2.0]);
        let text = panic_text(|| {
            let options = CrossEntropy { reduction: Reduction::None, ..CrossEntropy::default() };
            counting().cross_entropy(Tensor::<1, Int>::arange(0..3, CPU), options)
        });
        assert!(text.contains("cross_entropy_losses"), "{text}");
        let text = panic_text(|| {
            counting().cross_entropy(Tensor::<1, Int>::arange(0..4, CPU), CrossEntropy::default())
        });
        assert!(text.starts_with("cross_entropy: shapes [3, 4] and [4] do not fit"), "{text}");
    }
}

mod plain_autodiff {
    use super::*;

    #[test]
    fn a_plain_backend_refuses_what_needs_a_graph() {
        let x = counting();
        assert!(!x.is_tracked());
        assert!(x.sum().try_backward().is_err());
        let text = panic_text(|| counting().require_grad());
        assert!(text.starts_with("Expected autodiff-wrapped float tensor for backend cpu."), "{text}");
    }
}

#[test]
fn data_is_read_without_blocking() {
    fn poll_once<F: Future>(future: F) -> Option<F::Output> {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(future).poll(&mut context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        }
    }
    let data = poll_once(counting().into_data_async()).expect("the CPU is never waited for").unwrap();
    assert_eq!(data, counting().to_device(CPU).into_data().unwrap());
}
