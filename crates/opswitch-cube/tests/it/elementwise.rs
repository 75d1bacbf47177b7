//! Each op against the CPU in double precision, on a grid that holds every special value.

use opswitch_core::{
    Backend, DType, Elements, TensorData,
    ops::{BoolOps, FloatOps, IntOps},
};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};
use opswitch_cube::{Cube, CubeDevice, CubeTensor};

use crate::device;

/// The error that an op may have, relative to the exact value.
const TOLERANCE: f64 = 1e-5;

/// A pair of functions that do the same on both backends.
macro_rules! both {
    ($($name:ident)*) => {
        [$((stringify!($name), Cube::$name as fn(_) -> _, Cpu::$name as fn(_) -> _)),*]
    };
    (2: $($name:ident)*) => {
        [$((stringify!($name), Cube::$name as fn(_, _) -> _, Cpu::$name as fn(_, _) -> _)),*]
    };
}

/// Zeros, units, ties, infinities, the ends of the range, quarter turns, and NaN.
fn specials() -> Vec<f32> {
    let positive = [
        0.0,
        f32::MIN_POSITIVE,
        1e-30,
        1e-7,
        0.25,
        0.5,
        1.0 - f32::EPSILON,
        1.0,
        1.0 + f32::EPSILON,
        1.5,
        2.0,
        2.5,
        3.0,
        std::f32::consts::FRAC_PI_2,
        std::f32::consts::PI,
        10.0,
        88.0,
        1e9,
        f32::MAX,
        f32::INFINITY,
    ];
    let negative = positive.map(|x: f32| -x);
    [&positive[..], &negative, &[f32::NAN]].concat()
}

/// Numbers of every size on both sides of 0, and the specials.
fn grid() -> Vec<f32> {
    let steps = (-400..=400).map(|i| i as f32 * 0.037);
    let sizes = (-60..=60).map(|i| (i as f32 * 0.25).exp2());
    steps.chain(sizes.clone()).chain(sizes.map(|x| -x)).chain(specials()).collect()
}

fn cube(values: &[f32], device: CubeDevice) -> CubeTensor {
    let data = TensorData::new(values.to_vec(), [values.len()]).unwrap();
    Cube::float_from_data(data, &device).unwrap()
}

fn cpu(values: &[f32]) -> CpuTensor {
    let values: Vec<f64> = values.iter().map(|&x| f64::from(x)).collect();
    let len = values.len();
    Cpu::float_from_data(TensorData::new(values, [len]).unwrap(), &CpuDevice).unwrap()
}

fn read(x: CubeTensor) -> Vec<f32> {
    Cube::float_into_data_blocking(x).unwrap().to_vec()
}

fn read_exact(x: CpuTensor) -> Vec<f64> {
    Cpu::float_into_data_blocking(x).unwrap().to_vec()
}

/// Below this, results may be off: devices may take numbers below the normal ones for 0, on the way to a result too.
const TINY: f64 = 1e-35;

/// What the exact value may become.
fn is_close(found: f32, exact: f64) -> bool {
    let rounded = exact as f32;
    if exact.is_nan() || rounded.is_infinite() {
        return (exact.is_nan() && found.is_nan()) || found == rounded || f64::from(found) == exact;
    }
    let error = (f64::from(found) - exact).abs();
    let zero_signs = exact != 0.0 || found != 0.0 || exact.is_sign_negative() == found.is_sign_negative();
    zero_signs && (error <= TOLERANCE * exact.abs() || error <= TINY)
}

/// The rows whose results are off, up to ten.
fn wrong<A: std::fmt::Debug>(inputs: &[A], found: &[f32], exact: &[f64]) -> Vec<String> {
    let rows = inputs.iter().zip(found.iter().zip(exact));
    let rows = rows.filter(|(_, (found, exact))| !is_close(**found, **exact));
    rows.map(|(input, (found, exact))| format!("{input:?}: {found:?} instead of {exact:?}"))
        .take(10)
        .collect()
}

#[test]
fn functions_of_one_float_are_exact() {
    let Some(device) = device() else { return };
    let values = grid();
    let mut report = Vec::new();
    for (name, on_cube, on_cpu) in both! {
        float_neg float_abs float_sign float_exp float_exp_m1 float_ln float_ln_1p float_sqrt float_rsqrt float_recip
        float_square float_sin float_cos float_tan float_asin float_acos float_atan float_sinh float_cosh float_tanh
        float_erf float_floor float_ceil float_round float_trunc relu sigmoid log_sigmoid gelu silu
    } {
        let found = read(on_cube(cube(&values, device)));
        let wrong = wrong(&values, &found, &read_exact(on_cpu(cpu(&values))));
        if !wrong.is_empty() {
            report.push(format!("{name}\n  {}\n", wrong.join("\n  ")));
        }
    }
    assert!(report.is_empty(), "{}", report.concat());
}

#[test]
fn functions_of_two_floats_are_exact() {
    let Some(device) = device() else { return };
    let mut values = specials();
    values.retain(|x| x.abs() <= 10.0 || x.is_infinite() || x.is_nan());
    let pairs: Vec<(f32, f32)> = values.iter().flat_map(|&l| values.iter().map(move |&r| (l, r))).collect();
    let (lhs, rhs): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
    let mut report = Vec::new();
    for (name, on_cube, on_cpu) in both! {
        2: float_add float_sub float_mul float_div float_rem float_powf float_atan2 float_minimum float_maximum
        relu_backward
    } {
        let found = read(on_cube(cube(&lhs, device), cube(&rhs, device)));
        let wrong = wrong(&pairs, &found, &read_exact(on_cpu(cpu(&lhs), cpu(&rhs))));
        if !wrong.is_empty() {
            report.push(format!("{name}\n  {}\n", wrong.join("\n  ")));
        }
    }
    assert!(report.is_empty(), "{}", report.concat());
}

#[test]
fn functions_with_a_scalar_are_exact() {
    let Some(device) = device() else { return };
    // Twice the greatest number is infinite on the way to a softplus.
    let values: Vec<f32> = grid().into_iter().filter(|x| x.abs() != f32::MAX).collect();
    let mut report = Vec::new();
    for scalar in [2.0, -0.75, 0.5, 3.0] {
        for (name, on_cube, on_cpu) in both! {
            2: float_add_scalar float_sub_scalar float_mul_scalar float_div_scalar float_powf_scalar
            float_clamp_min float_clamp_max softplus leaky_relu
        } {
            let exact = read_exact(on_cpu(cpu(&values), scalar));
            let wrong = wrong(&values, &read(on_cube(cube(&values, device), scalar)), &exact);
            if !wrong.is_empty() {
                report.push(format!("{name} {scalar}\n  {}\n", wrong.join("\n  ")));
            }
        }
    }
    for exponent in [0, 1, 2, 3, -1, -2, 7, i32::MAX, i32::MIN] {
        let bases = [0.0f32, 1.0, -1.0, 0.5, -2.0, 1.5, f32::INFINITY, f32::NAN];
        let found = read(Cube::float_powi_scalar(cube(&bases, device), exponent));
        let exact = read_exact(Cpu::float_powi_scalar(cpu(&bases), exponent));
        let wrong = wrong(&bases, &found, &exact);
        if !wrong.is_empty() {
            report.push(format!("float_powi_scalar {exponent}\n  {}\n", wrong.join("\n  ")));
        }
    }
    assert!(report.is_empty(), "{}", report.concat());
}

#[test]
fn remainders_have_the_sign_of_the_divisor() {
    let Some(device) = device() else { return };
    let values = [7.5f32, -7.5, 6.0, -6.0, 0.0, -0.0, 1e6, 0.1];
    for divisor in [2.0, -2.0, 1.5, f64::INFINITY, f64::NEG_INFINITY, 0.0] {
        let found = read(Cube::float_rem_scalar(cube(&values, device), divisor));
        let exact = read_exact(Cpu::float_rem_scalar(cpu(&values), divisor));
        let wrong = wrong(&values, &found, &exact);
        assert!(wrong.is_empty(), "{divisor}: {wrong:?}");
    }
}

#[test]
fn comparisons_and_questions_know_nan() {
    let Some(device) = device() else { return };
    let values = specials();
    let pairs: Vec<(f32, f32)> = values.iter().flat_map(|&l| values.iter().map(move |&r| (l, r))).collect();
    let (lhs, rhs): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
    let bools = |x| Cube::bool_into_data_blocking(x).unwrap().to_vec::<bool>();
    let exact = |x| Cpu::bool_into_data_blocking(x).unwrap().to_vec::<bool>();
    for (name, on_cube, on_cpu) in both!(2: float_eq float_ne float_lt float_le float_gt float_ge) {
        let found = bools(on_cube(cube(&lhs, device), cube(&rhs, device)));
        assert_eq!(found, exact(on_cpu(cpu(&lhs), cpu(&rhs))), "{name}");
    }
    for (name, on_cube, on_cpu) in both!(float_is_nan float_is_inf float_is_finite float_into_bool) {
        assert_eq!(bools(on_cube(cube(&values, device))), exact(on_cpu(cpu(&values))), "{name}");
    }
    for scalar in [0.0, f64::NAN, f64::INFINITY] {
        for (name, on_cube, on_cpu) in
            both!(2: float_eq_scalar float_ne_scalar float_lt_scalar float_ge_scalar)
        {
            let found = bools(on_cube(cube(&values, device), scalar));
            assert_eq!(found, exact(on_cpu(cpu(&values), scalar)), "{name} {scalar}");
        }
    }
}

fn ints<E: opswitch_core::Element>(values: &[E], device: CubeDevice) -> (CubeTensor, CpuTensor) {
    let data = TensorData::new(values.to_vec(), [values.len()]).unwrap();
    (Cube::int_from_data(data.clone(), &device).unwrap(), Cpu::int_from_data(data, &CpuDevice).unwrap())
}

fn assert_ints(name: &str, found: CubeTensor, expected: CpuTensor) {
    let found = Cube::int_into_data_blocking(found).unwrap();
    assert_eq!(found, Cpu::int_into_data_blocking(expected).unwrap(), "{name}");
}

#[test]
fn integers_wrap_around() {
    let Some(device) = device() else { return };
    let signed = [0, 1, -1, 7, -7, 3, -3, i32::MAX, i32::MIN, 46341];
    let unsigned = [0, 1, 7, 3, u32::MAX, 1 << 31, 65537];
    let pairs = |len: usize| (0..len).flat_map(move |l| (0..len).map(move |r| (l, r)));
    let check = |lhs: &Elements, rhs: &Elements| {
        let shape = [lhs.len()];
        let data = [lhs, rhs].map(|x| TensorData::from_elements(x.clone(), shape).unwrap());
        let on_cube = data.clone().map(|x| Cube::int_from_data(x, &device).unwrap());
        let on_cpu = data.map(|x| Cpu::int_from_data(x, &CpuDevice).unwrap());
        for (name, cube, cpu) in both!(2: int_add int_sub int_mul) {
            let ([a, b], [c, d]) = (on_cube.clone(), on_cpu.clone());
            assert_ints(name, cube(a, b), cpu(c, d));
        }
        for (name, cube, cpu) in both!(2: int_eq int_ne int_lt int_le int_gt int_ge) {
            let ([a, b], [c, d]) = (on_cube.clone(), on_cpu.clone());
            let found = Cube::bool_into_data_blocking(cube(a, b)).unwrap();
            assert_eq!(found, Cpu::bool_into_data_blocking(cpu(c, d)).unwrap(), "{name}");
        }
        for (name, cube, cpu) in both!(int_neg int_abs) {
            assert_ints(name, cube(on_cube[0].clone()), cpu(on_cpu[0].clone()));
        }
    };
    let (lhs, rhs): (Vec<i32>, Vec<i32>) = pairs(signed.len()).map(|(l, r)| (signed[l], signed[r])).unzip();
    check(&Elements::new(lhs), &Elements::new(rhs));
    let (lhs, rhs): (Vec<u32>, Vec<u32>) =
        pairs(unsigned.len()).map(|(l, r)| (unsigned[l], unsigned[r])).unzip();
    check(&Elements::new(lhs), &Elements::new(rhs));
}

#[test]
fn quotients_round_towards_zero_and_division_by_zero_is_defined() {
    let Some(device) = device() else { return };
    let signed = [0, 1, -1, 7, -7, i32::MAX, i32::MIN];
    for divisor in [1i64, -1, 2, -2, 3, i64::from(i32::MIN)] {
        let (cube, cpu) = ints(&signed, device);
        assert_ints(
            "div",
            Cube::int_div_scalar(cube.clone(), divisor),
            Cpu::int_div_scalar(cpu.clone(), divisor),
        );
        assert_ints(
            "rem",
            Cube::int_rem_scalar(cube.clone(), divisor),
            Cpu::int_rem_scalar(cpu.clone(), divisor),
        );
        let divisors = vec![divisor as i32; signed.len()];
        let (by_cube, by_cpu) = ints(&divisors, device);
        assert_ints(
            "div",
            Cube::int_div(cube.clone(), by_cube.clone()),
            Cpu::int_div(cpu.clone(), by_cpu.clone()),
        );
        assert_ints("rem", Cube::int_rem(cube, by_cube), Cpu::int_rem(cpu, by_cpu));
    }
    let (words, words_cpu) = ints(&[u32::MAX, 7, 0], device);
    let (by, by_cpu) = ints(&[u32::MAX, 2, u32::MAX], device);
    assert_ints(
        "div",
        Cube::int_div(words.clone(), by.clone()),
        Cpu::int_div(words_cpu.clone(), by_cpu.clone()),
    );
    assert_ints("rem", Cube::int_rem(words, by), Cpu::int_rem(words_cpu, by_cpu));
    let (x, _) = ints(&signed, device);
    let (zero, _) = ints(&[0i32; 7], device);
    let values = |x| Cube::int_into_data_blocking(x).unwrap().to_vec::<i32>();
    assert_eq!(values(Cube::int_div(x.clone(), zero.clone())), signed);
    assert_eq!(values(Cube::int_rem(x, zero)), [0; 7]);
}

#[test]
#[should_panic(expected = "int_div_scalar: an integer is divided by zero")]
fn a_scalar_divisor_of_zero_panics() {
    let Some(device) = device() else { panic!("int_div_scalar: an integer is divided by zero") };
    let (x, _) = ints(&[1i32], device);
    // 2³² wraps to 0 in 32 bits.
    Cube::int_div_scalar(x, 1 << 32);
}

#[test]
fn scalars_beyond_the_type_compare_as_numbers() {
    let Some(device) = device() else { return };
    let (x, x_cpu) = ints(&[i32::MIN, 0, i32::MAX], device);
    for scalar in [0, i64::MAX, i64::MIN, 1 << 31] {
        for (name, cube, cpu) in
            both!(2: int_eq_scalar int_ne_scalar int_lt_scalar int_le_scalar int_gt_scalar int_ge_scalar)
        {
            let found = Cube::bool_into_data_blocking(cube(x.clone(), scalar)).unwrap();
            assert_eq!(
                found,
                Cpu::bool_into_data_blocking(cpu(x_cpu.clone(), scalar)).unwrap(),
                "{name} {scalar}"
            );
        }
    }
}

#[test]
fn casts_are_those_of_the_host() {
    let Some(device) = device() else { return };
    let mut floats = specials();
    floats.extend([0.99, -0.99, 2049.0, 65504.0, 65520.0, 1e-5, 3e9, -3e9, 2_147_483_520.0, 16_777_217.0]);
    // Below the least normal half, devices may round to 0.
    floats.retain(|x| *x == 0.0 || x.is_nan() || x.abs() >= 6.2e-5);
    let sources = [
        Elements::new(floats),
        Elements::new(vec![0, 1, -1, i32::MAX, i32::MIN, 16_777_217, 70000]),
        Elements::new(vec![0, 1, u32::MAX, 1 << 31, 16_777_217]),
        Elements::new(vec![true, false]),
    ];
    let has_half = Cube::supports(DType::F16, &device);
    for source in sources {
        let data = TensorData::from_elements(source.clone(), [source.len()]).unwrap();
        for dtype in [DType::F32, DType::F16, DType::I32, DType::U32, DType::Bool] {
            if (dtype == DType::F16 && !has_half) || (dtype == DType::Bool && source.dtype() == DType::Bool) {
                continue;
            }
            let found = cast(data.clone(), dtype, device);
            let (found, expected) = (found.to_vec::<f64>(), data.cast(dtype).to_vec::<f64>());
            let is_same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
            assert!(
                found.iter().zip(&expected).all(is_same),
                "{source:?} as {dtype}: {found:?}, not {expected:?}"
            );
        }
    }
}

fn cast(data: TensorData, dtype: DType, device: CubeDevice) -> TensorData {
    let source = data.dtype();
    let result = if source.is_float() {
        let x = Cube::float_from_data(data, &device).unwrap();
        match dtype {
            _ if dtype.is_float() => Cube::float_cast(x, dtype),
            DType::Bool => Cube::float_into_bool(x),
            _ => Cube::float_into_int(x, dtype),
        }
    } else if source == DType::Bool {
        let x = Cube::bool_from_data(data, &device).unwrap();
        if dtype.is_float() { Cube::bool_into_float(x, dtype) } else { Cube::bool_into_int(x, dtype) }
    } else {
        let x = Cube::int_from_data(data, &device).unwrap();
        match dtype {
            _ if dtype.is_float() => Cube::int_into_float(x, dtype),
            DType::Bool => Cube::int_into_bool(x),
            _ => Cube::int_cast(x, dtype),
        }
    };
    Cube::float_into_data_blocking(result).unwrap()
}

#[test]
fn halves_are_computed_in_single_precision() {
    let Some(device) = device() else { return };
    if !Cube::supports(DType::F16, &device) {
        println!("skipped: `{device}` has no f16");
        return;
    }
    let values: Vec<f32> = (0..37).map(|i| i as f32 * 0.125 - 2.0).collect();
    let x = Cube::float_cast(cube(&values, device), DType::F16);
    let y = Cube::float_into_data_blocking(Cube::float_exp(x)).unwrap();
    assert_eq!(y.dtype(), DType::F16);
    // Rounding the exact value once may be one step off, since `exp` is.
    for (y, x) in y.to_vec::<f32>().iter().zip(&values) {
        assert!((y / x.exp() - 1.0).abs() <= 1.0 / 1024.0, "exp({x}) = {y}");
    }
}

#[test]
fn tensors_broadcast_whatever_their_layout() {
    let Some(device) = device() else { return };
    let values: Vec<f32> = (0..60).map(|i| i as f32).collect();
    let reshape = |x: &CubeTensor, shape: &[usize]| Cube::float_reshape(x.clone(), shape.into());
    let exact = |x: &CpuTensor, shape: &[usize]| Cpu::float_reshape(x.clone(), shape.into());
    let (x, y) = (cube(&values, device), cpu(&values));
    let row = (Cube::float_slice(x.clone(), &[(3..8).into()]), Cpu::float_slice(y.clone(), &[(3..8).into()]));
    let cases = [
        (reshape(&x, &[3, 4, 5]), row.0.clone(), exact(&y, &[3, 4, 5]), row.1.clone()),
        (reshape(&x, &[12, 5]), reshape(&row.0, &[1, 5]), exact(&y, &[12, 5]), exact(&row.1, &[1, 5])),
        (
            Cube::float_permute(reshape(&x, &[3, 4, 5]), &[2, 0, 1]),
            Cube::float_flip(Cube::float_permute(reshape(&x, &[3, 4, 5]), &[2, 0, 1]), &[0, 2]),
            Cpu::float_permute(exact(&y, &[3, 4, 5]), &[2, 0, 1]),
            Cpu::float_flip(Cpu::float_permute(exact(&y, &[3, 4, 5]), &[2, 0, 1]), &[0, 2]),
        ),
        (
            Cube::float_permute(reshape(&x, &[12, 5]), &[1, 0]),
            Cube::float_permute(reshape(&x, &[12, 5]), &[1, 0]),
            Cpu::float_permute(exact(&y, &[12, 5]), &[1, 0]),
            Cpu::float_permute(exact(&y, &[12, 5]), &[1, 0]),
        ),
        (reshape(&row.0, &[5, 1]), row.0, exact(&row.1, &[5, 1]), row.1),
    ];
    for (lhs, rhs, exact_lhs, exact_rhs) in cases {
        let found = Cube::float_into_data_blocking(Cube::float_sub(lhs, rhs)).unwrap();
        let exact = Cpu::float_into_data_blocking(Cpu::float_sub(exact_lhs, exact_rhs)).unwrap();
        assert_eq!((found.shape(), found.to_vec::<f64>()), (exact.shape(), exact.to_vec::<f64>()));
    }
}

#[test]
fn masks_choose_and_broadcast() {
    let Some(device) = device() else { return };
    let x = Cube::float_reshape(cube(&[1., 2., 3., 4., 5., 6.], device), [2, 3].into());
    let mask = TensorData::new(vec![true, false, true], [3]).unwrap();
    let mask = Cube::bool_from_data(mask, &device).unwrap();
    let value = Cube::float_reshape(cube(&[-1., -2.], device), [2, 1].into());
    assert_eq!(read(Cube::float_mask_where(x.clone(), mask.clone(), value)), [-1., 2., -1., -2., 5., -2.]);
    assert_eq!(
        read(Cube::float_mask_fill(x, mask.clone(), f64::NEG_INFINITY))[..3],
        [f32::NEG_INFINITY, 2., f32::NEG_INFINITY]
    );
    let not = Cube::bool_into_data_blocking(Cube::bool_not(mask)).unwrap();
    assert_eq!(not.to_vec::<bool>(), [false, true, false]);
}

#[test]
fn tensors_are_made_on_the_device() {
    let Some(device) = device() else { return };
    assert_eq!(read(Cube::float_full([5].into(), 0.1, DType::F32, &device)), [0.1f32; 5]);
    assert_eq!(read(Cube::float_zeros([0, 2].into(), DType::F32, &device)), [0f32; 0]);
    let ints = |x| Cube::int_into_data_blocking(x).unwrap().to_vec::<i64>();
    assert_eq!(ints(Cube::int_full([3].into(), -1, DType::U32, &device)), [i64::from(u32::MAX); 3]);
    assert_eq!(ints(Cube::int_arange(5, -6, -3, DType::I32, &device)), [5, 2, -1, -4]);
    assert_eq!(ints(Cube::int_arange(0, 0, 1, DType::I32, &device)), [0i64; 0]);
    let yes = Cube::bool_full([2, 1].into(), true, &device);
    assert_eq!(Cube::bool_into_data_blocking(yes).unwrap().to_vec::<bool>(), [true; 2]);
}

#[test]
fn a_scalar_is_an_argument_of_its_kernel() {
    let Some(device) = device() else { return };
    let x = cube(&[1.0; 8], device);
    for step in 0..50 {
        let rate = 0.1 / f64::from(step + 1);
        assert_eq!(read(Cube::float_mul_scalar(x.clone(), rate)), [rate as f32; 8]);
    }
}
