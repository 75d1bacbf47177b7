//! Elementwise functions against the same in double precision, or against the CPU backend.

use opswitch_core::{
    Backend, DType, TensorData, TensorHandle,
    layout::movement,
    ops::{BoolOps, CrossEntropy, FloatOps, IntOps, NnOps},
};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};
use opswitch_wgpu::{Wgpu, WgpuDevice, WgpuTensor};

use crate::common::{device_or_skip, tensor, values};

/// A grid with the edges of the format.
fn grid() -> Vec<f32> {
    let mut grid: Vec<f32> = (-400..=400).map(|i| i as f32 * 0.025).collect();
    grid.extend((-60..=38).flat_map(|exponent| {
        let x = 10f32.powi(exponent / 2);
        [x, -x, 1.0 + x, 1.0 - x]
    }));
    grid.extend([
        0.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MIN_POSITIVE,
        88.0,
        -87.0,
        0.5,
        1.5,
    ]);
    grid
}

fn cpu_tensor(values: &[f64]) -> CpuTensor {
    CpuTensor::from_data(TensorData::new(values.to_vec(), [values.len()]).unwrap())
}

/// Asserts that two values agree within 1e-5 of the greater, or of `scale` where the function has a zero.
fn assert_close(what: &str, at: &str, found: f32, expected: f64, scale: f64) {
    let rounded = expected as f32;
    let agree = if rounded.is_nan() || rounded.is_infinite() || found.is_nan() || found.is_infinite() {
        found.to_bits() == rounded.to_bits() || (found.is_nan() && rounded.is_nan())
    } else {
        (f64::from(found) - expected).abs() <= 1e-5 * expected.abs().max(scale)
    };
    assert!(agree, "{what} of {at} is {found:e}, not {expected:e}");
}

type Unary<T> = fn(T) -> T;
type Binary<T> = fn(T, T) -> T;

#[test]
fn unary_functions_agree_with_double_precision() {
    let device = device_or_skip!();
    macro_rules! functions {
        ($($name:ident),*) => {
            [$((stringify!($name), Wgpu::$name as Unary<WgpuTensor>, Cpu::$name as Unary<CpuTensor>)),*]
        };
    }
    let functions = functions![
        float_neg,
        float_abs,
        float_sign,
        float_exp,
        float_exp_m1,
        float_ln,
        float_ln_1p,
        float_sqrt,
        float_rsqrt,
        float_recip,
        float_square,
        float_sin,
        float_cos,
        float_tan,
        float_asin,
        float_acos,
        float_atan,
        float_sinh,
        float_cosh,
        float_tanh,
        float_erf,
        float_floor,
        float_ceil,
        float_round,
        float_trunc,
        relu,
        sigmoid,
        log_sigmoid,
        gelu,
        silu
    ];
    let grid = grid();
    let wide: Vec<f64> = grid.iter().map(|&x| f64::from(x)).collect();
    for (name, function, reference) in functions {
        let found = values::<f32>(function(tensor(grid.clone(), [grid.len()], device)));
        let expected = reference(cpu_tensor(&wide)).into_data().unwrap();
        let is_circular = ["float_sin", "float_cos", "float_tan"].contains(&name);
        for ((&x, found), &expected) in grid.iter().zip(found).zip(expected.as_slice::<f64>().unwrap()) {
            // Angles above this lose digits; values below the normal ones may be flushed to 0.
            if is_circular && x.is_finite() && x.abs() > 1e4 {
                continue;
            }
            let scale = if is_circular { 0.1 } else { f64::from(f32::MIN_POSITIVE) * 1e5 };
            assert_close(name, &format!("{x:e}"), found, expected, scale);
        }
    }
}

#[test]
fn binary_functions_agree_with_double_precision() {
    let device = device_or_skip!();
    macro_rules! functions {
        ($($name:ident),*) => {
            [$((stringify!($name), Wgpu::$name as Binary<WgpuTensor>, Cpu::$name as Binary<CpuTensor>)),*]
        };
    }
    let functions = functions![
        float_add,
        float_sub,
        float_mul,
        float_div,
        float_rem,
        float_powf,
        float_atan2,
        float_minimum,
        float_maximum,
        relu_backward
    ];
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        3.0,
        -3.0,
        0.5,
        -0.5,
        2.5,
        -2.5,
        1e-3,
        100.0,
        7.25,
        -1e5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let (lhs, rhs): (Vec<f32>, Vec<f32>) =
        edges.iter().flat_map(|&lhs| edges.iter().map(move |&rhs| (lhs, rhs))).unzip();
    let wide = |values: &[f32]| cpu_tensor(&values.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    for (name, function, reference) in functions {
        let shape = [lhs.len()];
        let found =
            values::<f32>(function(tensor(lhs.clone(), shape, device), tensor(rhs.clone(), shape, device)));
        let expected = reference(wide(&lhs), wide(&rhs)).into_data().unwrap();
        for (i, &expected) in expected.as_slice::<f64>().unwrap().iter().enumerate() {
            assert_close(name, &format!("{:e} and {:e}", lhs[i], rhs[i]), found[i], expected, 1e-30);
        }
    }
}

#[test]
fn the_remainder_is_exact() {
    let device = device_or_skip!();
    let (lhs, rhs) = (vec![1.0f32, 1e30, -7.5, 16_777_215.0, 5.5], vec![0.1f32, 3.0, 0.7, 0.3, -2.0]);
    let rem =
        values::<f32>(Wgpu::float_rem(tensor(lhs.clone(), [5], device), tensor(rhs.clone(), [5], device)));
    for ((lhs, rhs), found) in lhs.into_iter().zip(rhs).zip(rem) {
        // The remainder in `f32` has the sign of the dividend, and both are exact before the divisor is added.
        let truncated = lhs % rhs;
        let expected =
            if truncated != 0.0 && (truncated < 0.0) != (rhs < 0.0) { truncated + rhs } else { truncated };
        assert_eq!(found, expected, "{lhs} rem {rhs}");
    }
}

#[test]
fn comparisons_and_predicates_know_nan() {
    let device = device_or_skip!();
    let x = || tensor(vec![1.0, f32::NAN, f32::INFINITY, -0.0], [4], device);
    let y = || tensor(vec![2.0, f32::NAN, f32::INFINITY, 0.0], [4], device);
    assert_eq!(values::<bool>(Wgpu::float_eq(x(), y())), [false, false, true, true]);
    assert_eq!(values::<bool>(Wgpu::float_ne(x(), y())), [true, true, false, false]);
    assert_eq!(values::<bool>(Wgpu::float_lt(x(), y())), [true, false, false, false]);
    assert_eq!(values::<bool>(Wgpu::float_ge(x(), y())), [false, false, true, true]);
    assert_eq!(values::<bool>(Wgpu::float_ne_scalar(x(), f64::NAN)), [true; 4]);
    assert_eq!(values::<bool>(Wgpu::float_is_nan(x())), [false, true, false, false]);
    assert_eq!(values::<bool>(Wgpu::float_is_inf(x())), [false, false, true, false]);
    assert_eq!(values::<bool>(Wgpu::float_is_finite(x())), [true, false, false, true]);
    assert_eq!(values::<bool>(Wgpu::float_into_bool(x())), [true, true, true, false]);
}

#[test]
fn integers_wrap_and_divide_as_on_the_cpu() {
    let device = device_or_skip!();
    let edges = [0, 1, -1, 2, -2, 7, -7, i32::MAX, i32::MIN];
    let (lhs, rhs): (Vec<i32>, Vec<i32>) = edges
        .iter()
        .flat_map(|&lhs| edges.iter().filter(|&&rhs| rhs != 0).map(move |&rhs| (lhs, rhs)))
        .unzip();
    let on_cpu =
        |values: &[i32]| CpuTensor::from_data(TensorData::new(values.to_vec(), [values.len()]).unwrap());
    macro_rules! check {
        ($($name:ident),*) => {$(
            let found = Wgpu::$name(tensor(lhs.clone(), [lhs.len()], device), tensor(rhs.clone(), [rhs.len()], device));
            let expected = Cpu::$name(on_cpu(&lhs), on_cpu(&rhs));
            assert_eq!(found.into_data().unwrap(), expected.into_data().unwrap(), stringify!($name));
        )*};
    }
    check!(int_add, int_sub, int_mul, int_div, int_rem, int_lt, int_ge, int_eq);
    assert_eq!(values::<i32>(Wgpu::int_neg(tensor(vec![i32::MIN, 3], [2], device))), [i32::MIN, -3]);
    assert_eq!(values::<i32>(Wgpu::int_abs(tensor(vec![i32::MIN, -3], [2], device))), [i32::MIN, 3]);
    assert_eq!(values::<u32>(Wgpu::int_neg(tensor(vec![1u32, 0], [2], device))), [u32::MAX, 0]);
    assert_eq!(values::<bool>(Wgpu::int_lt_scalar(tensor(vec![1, -1], [2], device), 1 << 40)), [true, true]);
}

#[test]
fn an_integer_divided_by_zero_is_zero() {
    let device = device_or_skip!();
    let (x, zero) = (|| tensor(vec![5, -5, i32::MIN], [3], device), || tensor(vec![0; 3], [3], device));
    assert_eq!(values::<i32>(Wgpu::int_div(x(), zero())), [0; 3]);
    assert_eq!(values::<i32>(Wgpu::int_rem(x(), zero())), [0; 3]);
    let (x, zero) = (|| tensor(vec![5u32], [1], device), || tensor(vec![0u32], [1], device));
    assert_eq!(values::<u32>(Wgpu::int_div(x(), zero())), [0]);
    assert_eq!(values::<u32>(Wgpu::int_rem(x(), zero())), [0]);
}

#[test]
#[should_panic(expected = "int_div_scalar: an integer is divided by zero")]
fn a_scalar_divisor_of_zero_is_refused() {
    let Some(device) = crate::common::device() else {
        panic!("int_div_scalar: an integer is divided by zero")
    };
    Wgpu::int_div_scalar(tensor(vec![1], [1], device), 0);
}

#[test]
fn conversions_are_those_of_the_host() {
    let device = device_or_skip!();
    let floats = vec![2.9f32, -2.9, 3e9, -3e9, 5e9, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.25];
    let ints = vec![i32::MIN, -1, 0, 1, 16_777_217, i32::MAX];
    let floats = TensorData::new(floats, [10]).unwrap();
    let ints = TensorData::new(ints, [6]).unwrap();
    let on_device = |data: &TensorData| WgpuTensor::from_data(data, device).unwrap();
    for dtype in [DType::I32, DType::U32] {
        let found = Wgpu::float_into_int(on_device(&floats), dtype);
        assert_eq!(found.into_data().unwrap(), floats.cast(dtype), "{dtype}");
        let found = Wgpu::int_cast(on_device(&ints), dtype);
        assert_eq!(found.into_data().unwrap(), ints.cast(dtype), "{dtype}");
    }
    assert_eq!(
        Wgpu::int_into_float(on_device(&ints), DType::F32).into_data().unwrap(),
        ints.cast(DType::F32)
    );
    assert_eq!(Wgpu::int_into_bool(on_device(&ints)).into_data().unwrap(), ints.cast(DType::Bool));
    let flags = || tensor(vec![true, false], [2], device);
    assert_eq!(values::<i32>(Wgpu::bool_into_int(flags(), DType::I32)), [1, 0]);
    assert_eq!(values::<f32>(Wgpu::bool_into_float(flags(), DType::F32)), [1.0, 0.0]);
}

#[test]
fn halves_are_computed_in_single_precision() {
    let device = device_or_skip!();
    if !Wgpu::supports(DType::F16, &device) {
        return;
    }
    let x = Wgpu::float_cast(tensor(vec![0.1f32, 65_504.0, 2049.0, -1.5, 3.0], [5], device), DType::F16);
    assert_eq!(x.dtype(), DType::F16);
    let rounded = x.clone().into_data().unwrap().to_vec::<f32>();
    assert_eq!(rounded, [0.099_975_586, 65_504.0, 2048.0, -1.5, 3.0]);
    let doubled = Wgpu::float_add(x.clone(), x.clone()).into_data().unwrap().to_vec::<f32>();
    assert_eq!(doubled, [0.199_951_17, f32::INFINITY, 4096.0, -3.0, 6.0]);
    let reversed = Wgpu::float_neg(Wgpu::float_flip(x, &[0])).into_data().unwrap().to_vec::<f32>();
    assert_eq!(reversed, [-3.0, 1.5, -2048.0, -65_504.0, -0.099_975_586]);
}

#[test]
fn views_and_broadcasts_agree_with_the_cpu() {
    let device = device_or_skip!();
    let data = |shape: &[usize]| {
        let len: usize = shape.iter().product();
        TensorData::new((0..len).map(|i| i as f32 * 0.5 - 3.0).collect::<Vec<_>>(), shape).unwrap()
    };
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[3, 4], &[4]),
        (&[2, 3, 4], &[3, 1]),
        (&[], &[5]),
        (&[4, 1], &[1, 3]),
        (&[7], &[7]),
        (&[0, 3], &[3]),
    ];
    for (lhs, rhs) in shapes {
        let (lhs, rhs) = (data(lhs), data(rhs));
        let on_device = |data: &TensorData| WgpuTensor::from_data(data, device).unwrap();
        let found = Wgpu::float_sub(on_device(&lhs), on_device(&rhs)).into_data().unwrap();
        let on_cpu = |data: &TensorData| CpuTensor::from_data(data.clone());
        assert_eq!(found, Cpu::float_sub(on_cpu(&lhs), on_cpu(&rhs)).into_data().unwrap());
        let mask = |shape| Wgpu::bool_full(shape, true, &device);
        let chosen = Wgpu::float_mask_where(on_device(&lhs), mask(rhs.shape().clone()), on_device(&rhs));
        let chosen = chosen.into_data().unwrap();
        let mask = |shape| Cpu::bool_full(shape, true, &CpuDevice);
        let expected = Cpu::float_mask_where(on_cpu(&lhs), mask(rhs.shape().clone()), on_cpu(&rhs));
        assert_eq!(chosen, expected.into_data().unwrap());
    }
    let x = tensor((0..12).map(|i| i as f32).collect::<Vec<_>>(), [3, 4], device);
    let transposed = movement::swap_dims("t", x.clone(), 0, 1);
    let sum = Wgpu::float_add(transposed.clone(), transposed);
    assert_eq!(values::<f32>(sum), [0., 8., 16., 2., 10., 18., 4., 12., 20., 6., 14., 22.]);
    let row = movement::slice("s", x, &[(1..2).into()]);
    assert_eq!(values::<f32>(Wgpu::float_neg(row)), [-4., -5., -6., -7.]);
}

#[test]
fn created_tensors_hold_what_was_asked() {
    let device: WgpuDevice = device_or_skip!();
    assert_eq!(values::<f32>(Wgpu::float_full([3].into(), -2.5, DType::F32, &device)), [-2.5; 3]);
    assert_eq!(values::<f32>(Wgpu::float_ones([5].into(), DType::F32, &device)), [1.0; 5]);
    assert_eq!(values::<i32>(Wgpu::int_full([2].into(), -1, DType::I32, &device)), [-1; 2]);
    assert_eq!(values::<i32>(Wgpu::int_arange(5, -4, -3, DType::I32, &device)), [5, 2, -1]);
    assert_eq!(values::<u32>(Wgpu::int_arange(-1, 2, 1, DType::U32, &device)), [u32::MAX, 0, 1]);
    assert_eq!(values::<bool>(Wgpu::bool_full([2].into(), true, &device)), [true; 2]);
    assert!(values::<f32>(Wgpu::float_full([1].into(), f64::NAN, DType::F32, &device))[0].is_nan());
}

#[test]
#[should_panic(
    expected = "float_zeros: `wgpu:0` has no elements of type f64; cast the tensor, or use `cpu`, which has them"
)]
fn a_type_that_the_device_lacks_is_refused() {
    Wgpu::float_zeros([1].into(), DType::F64, &WgpuDevice::default());
}

#[test]
fn samples_are_counted_without_doubles() {
    let device = device_or_skip!();
    let options = CrossEntropy { ignore_index: Some(-1), ..CrossEntropy::default() };
    let logits = tensor(vec![0.0f32, 0.0, 5.0, -5.0, 1.0, 1.0], [3, 2], device);
    let loss = values::<f32>(Wgpu::cross_entropy(logits, tensor(vec![0, -1, 1], [3], device), options));
    // Both samples that count have two equal logits.
    assert_close("the loss", "equal logits", loss[0], std::f64::consts::LN_2, 0.0);
}
