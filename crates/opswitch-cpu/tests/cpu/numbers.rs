//! Values known from closed forms and tables.

use opswitch_core::{
    DType,
    half::{bf16, f16},
    ops::{FloatOps, IntOps, NnOps, Norm},
};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

use super::{tensor, values};

#[test]
fn ten_million_ones_sum_to_ten_million() {
    let ones = tensor(vec![1f32; 10_000_000], [10_000_000]);
    assert_eq!(values::<f32>(&Cpu::float_sum(ones.clone(), &[0], false)), [1e7]);
    let columns = Cpu::float_reshape(ones.clone(), [5_000_000, 2].into());
    assert_eq!(values::<f32>(&Cpu::float_sum(columns.clone(), &[0], false)), [5e6; 2]);
    assert_eq!(values::<f32>(&Cpu::float_sum(columns, &[0, 1], false)), [1e7]);
    let rows = Cpu::float_reshape(ones, [2, 5_000_000].into());
    assert_eq!(values::<f32>(&Cpu::float_mean(rows, &[1], true)), [1.0; 2]);
}

#[test]
fn long_sums_are_as_good_as_short_ones() {
    // Adding 2^20 times 0.1 one by one in f32 is off by more than 1 %. Pairwise, errors of half an ulp meet in fewer
    // than 64 additions on the way of each term; they are far from all of one sign.
    let x = tensor(vec![0.1f32; 1 << 20], [1 << 20]);
    let check = |sums: &CpuTensor, count: f64| {
        let exact = f64::from(0.1f32) * count;
        let errors = values::<f32>(sums).into_iter().map(|sum| (f64::from(sum) / exact - 1.0).abs());
        errors.for_each(|error| assert!(error < 1e-6, "off by {error}"));
    };
    for shape in [[1, 1 << 20], [1 << 20, 1], [1 << 18, 4]] {
        check(
            &Cpu::float_sum(Cpu::float_reshape(x.clone(), shape.into()), &[0, 1], false),
            f64::from(1 << 20),
        );
    }
    check(&Cpu::float_sum(Cpu::float_reshape(x, [1 << 18, 4].into()), &[0], false), f64::from(1 << 18));
}

#[test]
fn terms_that_nearly_cancel_keep_their_digits() {
    // Multiples of 2^-22 between -2 and 2, whose exact sum is one of integers. Lanes that take 128 of them each, and so round
    // sums of a few units 128 times the same way, are off by 3e-4.
    let counts = (0..9000u32).map(|i| i64::from(i.wrapping_mul(2_654_435_761) >> 8) - (1 << 23));
    let unit = (-22f64).exp2();
    let terms: Vec<f32> = counts.clone().map(|count| (count as f64 * unit) as f32).collect();
    let x = tensor(terms, [9000]);
    let found = f64::from(values::<f32>(&Cpu::float_sum(x, &[0], false))[0]);
    let exact = counts.sum::<i64>() as f64 * unit;
    assert!((found - exact).abs() < 5e-5, "{found} is not {exact}");
}

#[test]
fn halves_accumulate_in_f32() {
    // Ones added in f16 stop at 2048, in bf16 at 256.
    let sum = Cpu::float_sum(tensor(vec![f16::ONE; 4096], [4096]), &[0], false);
    assert_eq!(values::<f16>(&sum), [f16::from_f32(4096.0)]);
    let sum = Cpu::float_sum(tensor(vec![bf16::ONE; 4096], [4096]), &[0], false);
    assert_eq!(values::<bf16>(&sum), [bf16::from_f32(4096.0)]);
    let mean = Cpu::float_mean(tensor(vec![f16::ONE; 100_000], [100_000]), &[0], false);
    assert_eq!(values::<f16>(&mean), [f16::ONE]);
    let row = || tensor(vec![bf16::ONE; 1000], [1000]);
    assert_eq!(values::<bf16>(&Cpu::float_matmul(row(), row())), [bf16::from_f32(1000.0)]);
    let zeros = Cpu::float_zeros([1].into(), DType::F16, &CpuDevice);
    let index = tensor(vec![0i64; 4096], [4096]);
    let added = Cpu::float_scatter_add(zeros, 0, index, tensor(vec![f16::ONE; 4096], [4096]));
    assert_eq!(values::<f16>(&added), [f16::from_f32(4096.0)]);
}

#[test]
fn a_scan_of_ten_million_ones_ends_in_ten_million() {
    let ones = tensor(vec![1f32; 10_000_000], [10_000_000]);
    let sums = values::<f32>(&Cpu::float_cumsum(ones.clone(), 0));
    assert!(sums.iter().zip(1u32..).all(|(&sum, count)| f64::from(sum) == f64::from(count)));
    let products = values::<f32>(&Cpu::float_cumprod(ones.clone(), 0));
    assert!(products.iter().all(|&product| product == 1.0));
    let columns = Cpu::float_cumsum(Cpu::float_reshape(ones, [5_000_000, 2].into()), 0);
    assert_eq!(values::<f32>(&columns)[9_999_998..], [5e6; 2]);
}

#[test]
fn scans_are_rounded_once() {
    // Added one by one in f32, 2^20 times 0.1 is off by more than 1 %.
    let sums = values::<f32>(&Cpu::float_cumsum(tensor(vec![0.1f32; 1 << 20], [1 << 20]), 0));
    for (sum, count) in sums.iter().zip(1u32..) {
        let exact = f64::from(0.1f32) * f64::from(count);
        assert!((f64::from(*sum) / exact - 1.0).abs() < 6e-8, "{sum} of {count}");
    }
    let halves = values::<f16>(&Cpu::float_cumsum(tensor(vec![f16::ONE; 4096], [4096]), 0));
    assert_eq!(halves[4095], f16::from_f32(4096.0));
    // The product leaves the range of f16, and comes back.
    let x = tensor([60_000.0, 60_000.0, 1e-6, 0.5].map(f16::from_f32), [4]);
    let back = values::<f16>(&Cpu::float_cumprod(x.clone(), 0))[3].to_f32();
    assert!((back / 1800.0 - 1.0).abs() < 0.1, "{back}");
    assert_eq!(values::<f16>(&Cpu::float_prod(x, &[0], false))[0].to_f32(), back);
}

#[test]
fn nothing_has_a_sum_and_a_product_and_no_extreme() {
    let nothing = || tensor(Vec::<f32>::new(), [2, 0]);
    assert_eq!(values::<f32>(&Cpu::float_sum(nothing(), &[1], false)), [0.0; 2]);
    assert_eq!(values::<f32>(&Cpu::float_prod(nothing(), &[0, 1], false)), [1.0]);
    assert_eq!(values::<f32>(&Cpu::float_norm(nothing(), &[1], false, Norm::L2)), [0.0; 2]);
    assert!(values::<f32>(&Cpu::float_max(nothing(), &[0], false)).is_empty());
    assert!(values::<f32>(&Cpu::float_cumsum(nothing(), 1)).is_empty());
    assert!(values::<i64>(&Cpu::float_argsort(nothing(), 0, true)).is_empty());
}

#[test]
fn sorting_is_stable_with_nan_as_the_greatest() {
    let nan = f32::NAN;
    let x = tensor([1.0, nan, -0.0, f32::INFINITY, 0.0, 1.0, -nan, f32::NEG_INFINITY], [8]);
    assert_eq!(values::<i64>(&Cpu::float_argsort(x.clone(), 0, false)), [7, 2, 4, 0, 5, 3, 1, 6]);
    assert_eq!(values::<i64>(&Cpu::float_argsort(x, 0, true)), [1, 6, 3, 0, 5, 2, 4, 7]);
}

#[test]
fn a_long_row_is_sorted_on_all_cores() {
    let row: Vec<f32> = (0u32..300_000).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as f32).collect();
    let index = values::<i64>(&Cpu::float_argsort(tensor(row.clone(), [1, 300_000]), 1, true));
    for pair in index.windows(2) {
        let [first, second] = [row[pair[0] as usize], row[pair[1] as usize]];
        assert!(first > second || (first == second && pair[0] < pair[1]), "{pair:?}");
    }
}

#[test]
fn a_norm_does_not_leave_the_range_on_the_way() {
    let norm = |x: &[f32]| values::<f32>(&Cpu::float_norm(tensor(x, [x.len()]), &[0], false, Norm::L2))[0];
    assert_eq!(norm(&[3e30, -4e30]), 5e30);
    assert_eq!(norm(&[3e-30, 4e-30]), 5e-30);
    assert_eq!(norm(&[f32::INFINITY, 1.0]), f32::INFINITY);
    assert!(norm(&[f32::NAN, 1.0]).is_nan());
    let x = tensor(vec![f16::from_f32(100.0); 10_000], [10_000]);
    assert_eq!(values::<f16>(&Cpu::float_norm(x, &[0], false, Norm::L2)), [f16::from_f32(10_000.0)]);
}

#[test]
fn erf_is_that_of_the_tables() {
    // DLMF 7.2 evaluated to 16 digits.
    let x = tensor([0.5f64, 1.0, 2.0, -1.0, 1e-10], [5]);
    let expected = [
        0.520_499_877_813_046_5,
        0.842_700_792_949_714_9,
        0.995_322_265_018_952_7,
        -0.842_700_792_949_714_9,
        1.128_379_167_095_512_6e-10,
    ];
    for (got, expected) in values::<f64>(&Cpu::float_erf(x)).into_iter().zip(expected) {
        assert!((got - expected).abs() <= 1e-14 * expected.abs(), "{got} {expected}");
    }
}

#[test]
fn the_logistic_family_does_not_overflow() {
    let x = || tensor([-1000f32, -100., 0., 100., 1000.], [5]);
    assert_eq!(values::<f32>(&Cpu::sigmoid(x())), [0., (-100f32).exp(), 0.5, 1., 1.]);
    let ln2 = std::f32::consts::LN_2;
    assert_eq!(values::<f32>(&Cpu::log_sigmoid(x())), [-1000., -100., -ln2, -(-100f32).exp(), -0.]);
    assert_eq!(values::<f32>(&Cpu::softplus(x(), 2.0)), [0., 0., ln2 / 2., 100., 1000.]);
    assert_eq!(values::<f32>(&Cpu::softmax(x(), 0)), [0., 0., 0., 0., 1.]);
    assert_eq!(values::<f32>(&Cpu::log_softmax(x(), 0)), [-2000., -1100., -1000., -900., 0.]);
    assert_eq!(values::<f32>(&Cpu::float_log_sum_exp(x(), &[0], false)), [1000.0]);
    let nothing = tensor([f32::NEG_INFINITY; 3], [3]);
    assert_eq!(values::<f32>(&Cpu::float_log_sum_exp(nothing, &[0], false)), [f32::NEG_INFINITY]);
}

#[test]
fn softmax_sums_to_one_along_any_dimension() {
    let x: Vec<f64> = (0..60).map(|i| f64::from(i * 7 % 13)).collect();
    for dim in 0..3 {
        let sums = Cpu::float_sum(Cpu::softmax(tensor(x.clone(), [3, 4, 5]), dim), &[dim], false);
        assert!(values::<f64>(&sums).iter().all(|sum| (sum - 1.0).abs() < 1e-14));
    }
}

#[test]
fn nan_is_never_lost() {
    let x = || tensor([1f32, f32::NAN, 3., f32::NAN], [4]);
    assert!(values::<f32>(&Cpu::float_max(x(), &[0], false))[0].is_nan());
    assert!(values::<f32>(&Cpu::float_min(x(), &[0], false))[0].is_nan());
    assert_eq!(values::<i64>(&Cpu::float_argmax(x(), 0, false)), [1]);
    assert_eq!(values::<i64>(&Cpu::float_argmin(x(), 0, false)), [1]);
    let (value, index) = Cpu::float_min_dim(x(), 0, true);
    assert!(values::<f32>(&value)[0].is_nan() && values::<i64>(&index) == [1]);
    let two = || tensor([2f32], [1]);
    let least = values::<f32>(&Cpu::float_minimum(x(), two()));
    assert!(least[0] == 1. && least[1].is_nan() && least[2] == 2.);
    assert!(values::<f32>(&Cpu::float_maximum(two(), x()))[1].is_nan());
    assert!(values::<f32>(&Cpu::float_clamp(x(), 0.0, 2.0))[1].is_nan());
    assert!(values::<f32>(&Cpu::relu(x()))[1].is_nan());
    // Wherever it stands among the lanes of a long row.
    for at in [0, 5, 17, 1000] {
        let mut long = vec![0f32; 1001];
        long[at] = f32::NAN;
        assert!(values::<f32>(&Cpu::float_max(tensor(long, [1001]), &[0], false))[0].is_nan());
    }
}

#[test]
fn remainders_have_the_sign_of_the_divisor() {
    // As Python's `%` has it.
    let (lhs, rhs) = ([7f64, -7., 7., -7., 5.], [3f64, 3., -3., -3., f64::NEG_INFINITY]);
    let rem = Cpu::float_rem(tensor(lhs, [5]), tensor(rhs, [5]));
    assert_eq!(values::<f64>(&rem), [1., 2., -2., -1., f64::NEG_INFINITY]);
    let rem = Cpu::int_rem(tensor([7i8, -7, 7, -7, -128], [5]), tensor([3i8, 3, -3, -3, -1], [5]));
    assert_eq!(values::<i8>(&rem), [1, 2, -2, -1, 0]);
    let div = Cpu::int_div(tensor([7i8, -7, 7, -7, -128], [5]), tensor([3i8, 3, -3, -3, -1], [5]));
    assert_eq!(values::<i8>(&div), [2, -2, -2, 2, -128]);
}

#[test]
fn integer_powers_are_products() {
    let x = || tensor([-2f64, 0., 3.], [3]);
    assert_eq!(values::<f64>(&Cpu::float_powi_scalar(x(), 3)), [-8., 0., 27.]);
    assert_eq!(values::<f64>(&Cpu::float_powi_scalar(x(), 0)), [1., 1., 1.]);
    assert_eq!(values::<f64>(&Cpu::float_powi_scalar(x(), -2)), [0.25, f64::INFINITY, 1. / 9.]);
}

#[test]
fn scalars_outside_the_type_compare_as_numbers() {
    let x = || tensor([0u8, 44, 255], [3]);
    assert_eq!(values::<bool>(&Cpu::int_eq_scalar(x(), 300)), [false; 3]);
    assert_eq!(values::<bool>(&Cpu::int_lt_scalar(x(), 300)), [true; 3]);
    assert_eq!(values::<bool>(&Cpu::int_gt_scalar(x(), -1)), [true; 3]);
    assert_eq!(values::<bool>(&Cpu::int_le_scalar(x(), 44)), [true, true, false]);
}

#[test]
fn ranges_reach_the_ends_of_i64() {
    let range = |start, end, step| values::<i64>(&Cpu::int_arange(start, end, step, DType::I64, &CpuDevice));
    assert_eq!(range(0, 5, 2), [0, 2, 4]);
    assert_eq!(range(3, -3, -3), [3, 0]);
    assert_eq!(range(0, 5, -1), [0; 0]);
    assert_eq!(range(i64::MIN, i64::MAX, i64::MAX), [i64::MIN, -1, i64::MAX - 1]);
}
