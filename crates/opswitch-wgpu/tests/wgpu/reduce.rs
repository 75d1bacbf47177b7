//! Reductions, against the CPU and against values known from outside.

use opswitch_core::{
    AnyTensor, Backend, DType, TensorData, TensorHandle,
    half::f16,
    ops::{BoolOps, FloatOps, IntOps, NnOps},
};
use opswitch_wgpu::{Wgpu, WgpuTensor};

use crate::{
    agree::{VIEWS, assert_agree, both, floats, ints, numbers, view},
    common::{device_or_skip, tensor, values},
};

/// A shape with the dimensions to reduce it over.
const CASES: &[(&[usize], &[usize])] = &[
    (&[], &[]),
    (&[1], &[0]),
    (&[7], &[0]),
    (&[300], &[0]),
    (&[5, 200], &[1]),
    (&[200, 5], &[0]),
    (&[3, 4, 5], &[1]),
    (&[3, 4, 5], &[0, 2]),
    (&[3, 4, 5], &[2, 1]),
    (&[3, 1, 5], &[0, 2]),
    (&[3, 4, 5], &[0, 1, 2]),
    (&[3, 4, 5], &[]),
    (&[2, 3, 4, 5], &[1, 3]),
    (&[0, 4], &[0]),
    (&[3, 0], &[1]),
    (&[3, 0, 2], &[0, 1]),
    (&[9000], &[0]),
    (&[3, 9000], &[1]),
    (&[9000, 3], &[0]),
    (&[2, 9000, 2], &[1]),
];

#[test]
fn sums_agree_for_every_layout() {
    let device = device_or_skip!();
    for (shape, dims) in CASES {
        for number in VIEWS {
            let what = format!("view {number} of {shape:?} over {dims:?}");
            // Terms of both signs nearly cancel: the error is that of the sum of their sizes.
            let tolerance = 1e-5f64.max(1e-8 * shape.iter().product::<usize>() as f64);
            let sums = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_sum(view::<B>(number, shape, place), dims, number % 2 == 0)));
            assert_agree(&format!("sum of {what}"), sums, tolerance);
            let means = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_mean(view::<B>(number, shape, place), dims, false)));
            assert_agree(&format!("mean of {what}"), means, 1e-5);
            let logs = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_log_sum_exp(view::<B>(number, shape, place), dims, true)));
            assert_agree(&format!("log_sum_exp of {what}"), logs, 1e-5);
        }
    }
}

#[test]
fn extremes_agree_for_every_layout() {
    let device = device_or_skip!();
    for (shape, dims) in CASES.iter().filter(|(shape, _)| !shape.contains(&0)) {
        for number in VIEWS {
            let what = format!("view {number} of {shape:?} over {dims:?}");
            let greatest = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_max(view::<B>(number, shape, place), dims, false)));
            assert_agree(&format!("max of {what}"), greatest, 0.0);
            let least = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_min(view::<B>(number, shape, place), dims, true)));
            assert_agree(&format!("min of {what}"), least, 0.0);
        }
    }
}

#[test]
fn positions_agree_for_every_layout() {
    let device = device_or_skip!();
    for (shape, dims) in CASES.iter().filter(|(shape, dims)| !shape.contains(&0) && dims.len() == 1) {
        for number in VIEWS {
            let what = format!("view {number} of {shape:?} along {dims:?}");
            let first = both!(device, B, place => AnyTensor::<B>::Int(
                B::float_argmax(view::<B>(number, shape, place), dims[0], true)));
            assert_agree(&format!("argmax of {what}"), first, 0.0);
            let least = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_min_dim(view::<B>(number, shape, place), dims[0], false).0));
            assert_agree(&format!("min_dim of {what}"), least, 0.0);
            let positions = both!(device, B, place => AnyTensor::<B>::Int(
                B::float_min_dim(view::<B>(number, shape, place), dims[0], false).1));
            assert_agree(&format!("min_dim of {what}"), positions, 0.0);
        }
    }
}

#[test]
fn softmax_agrees_for_every_layout() {
    let device = device_or_skip!();
    let shapes: &[(&[usize], usize)] = &[
        (&[5], 0),
        (&[3, 4], 0),
        (&[3, 4], 1),
        (&[4, 200], 1),
        (&[200, 4], 0),
        (&[2, 3, 4], 1),
        (&[0, 3], 1),
    ];
    for (shape, dim) in shapes {
        for number in VIEWS {
            let what = format!("view {number} of {shape:?} along {dim}");
            let soft = both!(device, B, place => AnyTensor::<B>::Float(
                B::softmax(view::<B>(number, shape, place), *dim)));
            assert_agree(&format!("softmax of {what}"), soft, 1e-6);
            let logs = both!(device, B, place => AnyTensor::<B>::Float(
                B::log_softmax(view::<B>(number, shape, place), *dim)));
            assert_agree(&format!("log_softmax of {what}"), logs, 2e-6);
        }
    }
}

#[test]
fn ten_million_ones_are_ten_million() {
    let device = device_or_skip!();
    let ones = Wgpu::float_ones([10_000_000].into(), DType::F32, &device);
    assert_eq!(values::<f32>(Wgpu::float_sum(ones.clone(), &[0], false)), [1e7]);
    assert_eq!(values::<f32>(Wgpu::float_mean(ones.clone(), &[0], false)), [1.0]);
    assert_eq!(
        values::<f32>(Wgpu::float_sum(Wgpu::float_reshape(ones, [5_000_000, 2].into()), &[0], false)),
        [5e6; 2]
    );
}

#[test]
fn a_long_row_has_one_first_extreme() {
    let device = device_or_skip!();
    let mut row = numbers(100_000);
    row[70_000] = 9.0;
    row[80_000] = 9.0;
    row[12_345] = -9.0;
    let x = tensor(row.clone(), [100_000], device);
    assert_eq!(values::<i32>(Wgpu::float_argmax(x.clone(), 0, false)), [70_000]);
    assert_eq!(values::<i32>(Wgpu::float_argmin(x, 0, false)), [12_345]);
    row[90_000] = f32::NAN;
    row[99_999] = f32::NAN;
    let (extreme, at) = Wgpu::float_max_dim(tensor(row, [100_000], device), 0, false);
    assert!(values::<f32>(extreme)[0].is_nan());
    assert_eq!(values::<i32>(at), [90_000]);
}

/// Rows that are short, and long enough for a group.
fn edges() -> Vec<Vec<f32>> {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let short = [
        vec![1.0, nan, 3.0],
        vec![inf, nan, -inf],
        vec![inf, 1.0, inf],
        vec![-inf, 1.0, -2.0],
        vec![-inf, -inf, -inf],
        vec![1000.0, 1000.0, -1000.0],
        vec![0.0, -0.0, 0.0],
        vec![f32::MAX, f32::MAX, f32::MIN],
    ];
    let long = short.iter().map(|row| row.iter().copied().cycle().take(400).collect());
    short.iter().cloned().chain(long).collect()
}

#[test]
fn nan_and_infinity_propagate() {
    let device = device_or_skip!();
    for row in edges() {
        let what = format!("{:?} of {}", &row[..3], row.len());
        let shape = [row.len()];
        macro_rules! agrees {
            ($op:ident => $kind:ident $(, $arg:expr)*) => {
                let results = both!(device, B, place => AnyTensor::<B>::$kind(
                    B::$op(floats::<B>(row.clone(), &shape, place) $(, $arg)*)));
                assert_agree(&format!("{} of {what}", stringify!($op)), results, 1e-5);
            };
        }
        agrees!(float_max => Float, &[0], false);
        agrees!(float_min => Float, &[0], false);
        agrees!(float_log_sum_exp => Float, &[0], false);
        agrees!(float_argmax => Int, 0, false);
        agrees!(float_argmin => Int, 0, false);
        agrees!(softmax => Float, 0);
        agrees!(log_softmax => Float, 0);
        if row[0] != f32::MAX {
            agrees!(float_sum => Float, &[0], false);
        }
    }
}

#[test]
fn integers_wrap_around() {
    let device = device_or_skip!();
    let row = vec![i32::MAX, 3, -7, i32::MIN, i32::MAX, 5];
    let x = tensor(row.clone(), [2, 3], device);
    assert_eq!(
        values::<i32>(Wgpu::int_sum(x.clone(), &[0, 1], false)),
        [row.iter().fold(0, |x: i32, &y| x.wrapping_add(y))]
    );
    assert_eq!(values::<i32>(Wgpu::int_sum(x.clone(), &[0], false)), [-1, i32::MIN + 2, -2]);
    assert_eq!(values::<i32>(Wgpu::int_max(x.clone(), &[1], false)), [i32::MAX; 2]);
    assert_eq!(values::<i32>(Wgpu::int_min(x, &[1], false)), [-7, i32::MIN]);
    let x = tensor(vec![u32::MAX, 2, 3], [3], device);
    assert_eq!(values::<u32>(Wgpu::int_sum(x.clone(), &[0], false)), [4]);
    assert_eq!(values::<u32>(Wgpu::int_max(x.clone(), &[0], false)), [u32::MAX]);
    assert_eq!(values::<u32>(Wgpu::int_min(x, &[0], false)), [2]);
    let long = both!(device, B, place => AnyTensor::<B>::Int(
        B::int_sum(ints::<B>((0..50_000).map(|i: i32| i.wrapping_mul(77_777_777)).collect(), &[50_000], place), &[0], false)));
    assert_agree("int_sum", long, 0.0);
}

#[test]
fn truth_over_nothing_is_that_of_logic() {
    let device = device_or_skip!();
    let x = tensor(vec![true, false, false, false, true, true], [3, 2], device);
    assert_eq!(values::<bool>(Wgpu::bool_any(x.clone(), &[1], false)), [true, false, true]);
    assert_eq!(values::<bool>(Wgpu::bool_all(x.clone(), &[1], false)), [false, false, true]);
    assert_eq!(values::<bool>(Wgpu::bool_any(x, &[0, 1], true)), [true]);
    let nothing = || tensor(vec![false; 0], [2, 0], device);
    assert_eq!(values::<bool>(Wgpu::bool_any(nothing(), &[1], false)), [false; 2]);
    assert_eq!(values::<bool>(Wgpu::bool_all(nothing(), &[1], false)), [true; 2]);
}

#[test]
fn nothing_has_a_sum_and_no_extreme() {
    let device = device_or_skip!();
    let nothing = || tensor(vec![0f32; 0], [2, 0], device);
    assert_eq!(values::<f32>(Wgpu::float_sum(nothing(), &[1], false)), [0.0; 2]);
    assert_eq!(values::<f32>(Wgpu::float_log_sum_exp(nothing(), &[1], false)), [f32::NEG_INFINITY; 2]);
    assert_eq!(Wgpu::float_max(nothing(), &[0], false).shape(), [0].into());
    assert_eq!(Wgpu::float_argmax(nothing(), 0, true).shape(), [1, 0].into());
    let failure = |f: fn(WgpuTensor) -> WgpuTensor| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(nothing()))).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    let text = "shape [2, 0] does not fit: an extreme of no elements is asked for";
    assert_eq!(failure(|x| Wgpu::float_max(x, &[1], false)), format!("float_max: {text}"));
    assert_eq!(failure(|x| Wgpu::float_argmin(x, 1, false)), format!("float_argmin: {text}"));
}

#[test]
fn halves_are_added_as_floats() {
    let device = device_or_skip!();
    if !Wgpu::supports(DType::F16, &device) {
        return;
    }
    let ones = TensorData::new(vec![f16::ONE; 20_000], [20_000]).unwrap();
    let ones = WgpuTensor::from_data(&ones, device).unwrap();
    let half = Wgpu::float_mul_scalar(ones.clone(), 0.5);
    assert_eq!(values::<f16>(Wgpu::float_sum(half, &[0], false)), [f16::from_f32(10_000.0)]);
    assert_eq!(
        values::<f16>(Wgpu::float_mean(Wgpu::float_mul_scalar(ones, 8.0), &[0], false)),
        [f16::from_f32(8.0)]
    );
    let row = TensorData::new([1.0, 3.0, 2.0].map(f16::from_f32).to_vec(), [3]).unwrap();
    let row = WgpuTensor::from_data(&row, device).unwrap();
    assert_eq!(values::<f16>(Wgpu::float_max(row.clone(), &[0], false)), [f16::from_f32(3.0)]);
    assert_eq!(values::<i32>(Wgpu::float_argmax(row.clone(), 0, false)), [1]);
    let soft = values::<f16>(Wgpu::softmax(row, 0));
    let expected = [0.090_030_57, 0.665_240_96, 0.244_728_47];
    assert!(soft.iter().zip(expected).all(|(x, y)| (x.to_f32() - y).abs() < 1e-3), "{soft:?}");
}

#[test]
fn products_scans_and_orders_agree_for_every_layout() {
    let device = device_or_skip!();
    for (shape, dims) in CASES {
        for number in VIEWS {
            let what = format!("view {number} of {shape:?} over {dims:?}");
            // Close to 1, so that the product of thousands stays in range.
            let products = both!(device, B, place => AnyTensor::<B>::Float({
                let x = B::float_mul_scalar(view::<B>(number, shape, place), 1e-3);
                B::float_prod(B::float_add_scalar(x, 1.0), dims, number % 2 == 0)
            }));
            assert_agree(&format!("product of {what}"), products, 1e-4);
            let &[dim] = *dims else { continue };
            let sums = both!(device, B, place => AnyTensor::<B>::Float(
                B::float_cumsum(B::float_abs(view::<B>(number, shape, place)), dim)));
            assert_agree(&format!("running sum of {what}"), sums, 1e-5);
            let products = both!(device, B, place => AnyTensor::<B>::Float({
                let x = B::float_mul_scalar(view::<B>(number, shape, place), 1e-3);
                B::float_cumprod(B::float_add_scalar(x, 1.0), dim)
            }));
            assert_agree(&format!("running product of {what}"), products, 1e-4);
            // Many are equal.
            let order = both!(device, B, place => AnyTensor::<B>::Int({
                let x = B::float_round(B::float_mul_scalar(view::<B>(number, shape, place), 10.0));
                B::float_argsort(x, dim, number % 2 == 0)
            }));
            assert_agree(&format!("order of {what}"), order, 0.0);
        }
    }
}

#[test]
fn long_rows_are_scanned_and_sorted_in_pieces() {
    let device = device_or_skip!();
    let ones = Wgpu::float_ones([10_000_000].into(), DType::F32, &device);
    let sums = values::<f32>(Wgpu::float_cumsum(ones, 0));
    assert!(sums.iter().zip(1u32..).all(|(&sum, count)| f64::from(sum) == f64::from(count)));
    let x = numbers(100_001);
    let order = both!(device, B, place => AnyTensor::<B>::Int(
        B::float_argsort(floats::<B>(x.clone(), &[100_001], place), 0, false)));
    assert_agree("order of a long row", order, 0.0);
}

#[test]
fn orders_are_stable_with_nan_as_the_greatest() {
    let device = device_or_skip!();
    for row in edges() {
        for descending in [false, true] {
            let shape = [row.len()];
            let order = both!(device, B, place => AnyTensor::<B>::Int(
                B::float_argsort(floats::<B>(row.clone(), &shape, place), 0, descending)));
            assert_agree(&format!("order of {:?} of {}", &row[..3], row.len()), order, 0.0);
        }
    }
}
