//! Reductions, extremes with their places, and the exponential family.

use half::f16;
use opswitch_core::{
    Backend, DType, TensorData, TensorHandle,
    ops::{BoolOps, FloatOps, IntOps, NnOps},
};
use opswitch_cube::{Cube, CubeDevice, CubeTensor};

use crate::{
    compare::{Both, bools, floats, ints, noise, panic_text, same, specials, values, view},
    device,
};

/// Shapes that take every way through the kernels: units alone, cubes of every size, several stages, and both across rows and
/// along them.
const SHAPES: [&[usize]; 9] =
    [&[], &[1], &[7], &[3, 5], &[70, 130], &[3, 700, 2], &[2, 3, 4, 5], &[1, 40_000], &[2000, 9]];

/// Columns that keep a device busy, one of which takes several stages.
const LARGE: &[usize] = &[600, 4100];
/// As many, each of which takes one.
const WIDE: &[usize] = &[40, 4100];

/// A tensor as it is, and views of it of every kind.
fn views(x: &Both) -> Vec<Both> {
    let mut views = vec![x.clone()];
    let rank = x.cube.shape().rank();
    if rank > 1 && x.cube.shape().num_elements() < 10_000 {
        let last = rank - 1;
        views.push(view!(x => B::float_swap_dims(x, 0, last)));
        views.push(view!(x => B::float_flip(x, &[0, last])));
        let mut shape = x.cube.shape().to_vec();
        shape.insert(0, 3);
        views.push(view!(x => B::float_expand(x, shape.clone().into())));
        views.push(view!(x => B::float_slice(x, &[(1..).into(), (1..4).into()])));
    }
    views
}

/// All dimensions, none, the first, the last, and both of these.
fn some_dims(rank: usize) -> Vec<Vec<usize>> {
    let mut dims = vec![(0..rank).collect(), vec![]];
    if rank > 1 {
        dims.extend([vec![0], vec![rank - 1]]);
    }
    if rank > 2 {
        dims.push(vec![rank - 1, 0]);
    }
    dims
}

#[test]
fn sums_are_those_of_the_cpu() {
    let Some(device) = device() else { return };
    for shape in SHAPES.into_iter().chain([LARGE]) {
        for x in views(&floats(device, shape, |i| noise(i).abs())) {
            for dims in some_dims(x.cube.shape().rank()) {
                let x = &x;
                same!(1e-6, x => B::float_sum(x, &dims, false));
                same!(1e-6, x => B::float_mean(x, &dims, true));
            }
        }
    }
}

#[test]
fn extremes_are_those_of_the_cpu_with_nan_wherever_it_is() {
    let Some(device) = device() else { return };
    for shape in SHAPES.into_iter().chain([LARGE]) {
        for f in [noise as fn(usize) -> f32, specials] {
            for x in views(&floats(device, shape, f)) {
                for dims in some_dims(x.cube.shape().rank()) {
                    let x = &x;
                    same!(0.0, x => B::float_max(x, &dims, false));
                    same!(0.0, x => B::float_min(x, &dims, true));
                }
            }
        }
    }
}

#[test]
fn every_nan_is_an_extreme() {
    let Some(device) = device() else { return };
    for bits in [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff] {
        for place in [0, 1, 40, 63, 299] {
            let f = |i| if i == place { f32::from_bits(bits) } else { f32::INFINITY * noise(i) };
            let x = floats(device, &[300], f).cube;
            for extreme in [Cube::float_max, Cube::float_min] {
                assert!(values(&extreme(x.clone(), &[0], false))[0].is_nan(), "{bits:x} at {place}");
            }
            let (value, index) = Cube::float_max_dim(x.clone(), 0, false);
            assert!(values(&value)[0].is_nan());
            let index = Cube::int_into_data_blocking(index).unwrap().to_vec::<i32>();
            assert_eq!(index, [place as i32], "{bits:x}");
        }
    }
}

#[test]
fn ten_million_ones_are_ten_million() {
    let Some(device) = device() else { return };
    let ones = |shape: &[usize]| Cube::float_ones(shape.into(), DType::F32, &device);
    assert_eq!(values(&Cube::float_sum(ones(&[10_000_000]), &[0], false)), [1e7]);
    assert_eq!(values(&Cube::float_sum(ones(&[5_000_000, 2]), &[0], false)), [5e6, 5e6]);
    // Each of these terms would be lost beside a sum of 2^24.
    let tenths = Cube::float_full([16_000_000].into(), 0.1, DType::F32, &device);
    let sum = f64::from(values(&Cube::float_sum(tenths, &[0], false))[0]);
    let exact = f64::from(0.1f32) * 1.6e7;
    assert!((sum / exact - 1.0).abs() < 1e-6, "{sum} instead of {exact}");
}

#[test]
fn halves_add_up_in_single_precision() {
    let Some(device) = device() else { return };
    if !Cube::supports(DType::F16, &device) {
        return println!("skipped: {device} has no f16");
    }
    // In halves, 2048 + 1 is 2048.
    let x = Cube::float_full([3, 5000].into(), 1.0, DType::F16, &device);
    let halves = |x: CubeTensor| Cube::float_into_data_blocking(x).unwrap().to_vec::<f16>();
    assert_eq!(halves(Cube::float_sum(x, &[1], false)), [f16::from_f32(5000.0); 3]);
    // The sum is more than a half can be, and the mean is not.
    let x = Cube::float_full([2, 300].into(), 1000.0, DType::F16, &device);
    assert_eq!(halves(Cube::float_mean(x, &[1], false)), [f16::from_f32(1000.0); 2]);
    let values = [1.0, f32::NAN, 3.0, -2.0, 0.5, 4.0].map(f16::from_f32);
    let data = TensorData::new(values.to_vec(), [2, 3]).unwrap();
    let x = Cube::float_from_data(data, &device).unwrap();
    let max = halves(Cube::float_max(x.clone(), &[1], false));
    assert!(max[0].is_nan() && max[1] == f16::from_f32(4.0), "{max:?}");
    let softmax = halves(Cube::softmax(x, 1));
    assert!(softmax[..3].iter().all(|x| x.is_nan()));
    assert!((f32::from(softmax[5]) - 0.968_21).abs() < 1e-3, "{softmax:?}");
}

#[test]
fn nothing_adds_up_to_zero_and_has_no_extreme() {
    let Some(device) = device() else { return };
    let x = floats(device, &[2, 0], noise);
    same!(0.0, x => B::float_sum(x, &[1], true));
    same!(0.0, x => B::float_sum(x, &[0], true));
    same!(0.0, x => B::float_mean(x, &[1], false));
    same!(0.0, x => B::float_log_sum_exp(x, &[1], false));
    same!(0.0, x => B::float_max(x, &[0], false));
    let text = panic_text(|| Cube::float_max(x.cube.clone(), &[1], false));
    assert_eq!(text, panic_text(|| opswitch_cpu::Cpu::float_max(x.cpu.clone(), &[1], false)));
    let text = panic_text(|| Cube::float_argmin(x.cube.clone(), 1, false));
    assert_eq!(text, panic_text(|| opswitch_cpu::Cpu::float_argmin(x.cpu.clone(), 1, false)));
}

#[test]
fn shapes_and_types_that_do_not_fit_are_refused_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let x = floats(device, &[2, 3], noise);
    let text = panic_text(|| Cube::float_sum(x.cube.clone(), &[2], false));
    assert_eq!(text, panic_text(|| opswitch_cpu::Cpu::float_sum(x.cpu.clone(), &[2], false)));
    let text = panic_text(|| Cube::softmax(x.cube.clone(), 2));
    assert_eq!(text, panic_text(|| opswitch_cpu::Cpu::softmax(x.cpu.clone(), 2)));
    let text = panic_text(|| Cube::int_sum(x.cube.clone(), &[0], false));
    assert_eq!(text, panic_text(|| opswitch_cpu::Cpu::int_sum(x.cpu.clone(), &[0], false)));
    let text = panic_text(|| Cube::bool_any(x.cube.clone(), &[0], false));
    assert_eq!(text, panic_text(|| opswitch_cpu::Cpu::bool_any(x.cpu.clone(), &[0], false)));
}

#[test]
fn integers_wrap_around() {
    let Some(device) = device() else { return };
    for shape in SHAPES {
        let x = &ints(device, shape, |i| (i as i32).wrapping_mul(-1_640_531_535));
        for dims in some_dims(shape.len()) {
            same!(0.0, x => B::int_sum(x, &dims, false));
            same!(0.0, x => B::int_max(x, &dims, true));
            same!(0.0, x => B::int_min(x, &dims, false));
        }
    }
}

#[test]
fn unsigned_integers_have_their_own_order() {
    let Some(device) = device() else { return };
    let data = TensorData::new(vec![u32::MAX, 3, 5, 0], [2, 2]).unwrap();
    let x = Cube::int_from_data(data, &device).unwrap();
    let read = |x| Cube::int_into_data_blocking(x).unwrap().to_vec::<u32>();
    assert_eq!(read(Cube::int_max(x.clone(), &[1], false)), [u32::MAX, 5]);
    assert_eq!(read(Cube::int_min(x.clone(), &[1], false)), [3, 0]);
    assert_eq!(read(Cube::int_sum(x, &[1], false)), [2, 5]);
}

#[test]
fn truth_is_any_and_all() {
    let Some(device) = device() else { return };
    let sets: [fn(usize) -> bool; 4] = [|_| true, |_| false, |i| i % 130 == 5, |i| i % 130 != 5];
    for shape in [&[70, 130][..], &[1], &[0, 3], &[3, 0], &[40_000]] {
        for set in sets {
            let x = &bools(device, shape, set);
            for dims in some_dims(shape.len()) {
                truth(x, &dims);
            }
        }
    }
}

fn truth(x: &Both, dims: &[usize]) {
    let read = |x| Cube::bool_into_data_blocking(x).unwrap();
    let read_cpu = |x| opswitch_cpu::Cpu::bool_into_data_blocking(x).unwrap();
    let any = view!(x => B::bool_any(x, dims, false));
    assert_eq!(read(any.cube), read_cpu(any.cpu));
    let all = view!(x => B::bool_all(x, dims, true));
    assert_eq!(read(all.cube), read_cpu(all.cpu));
}

#[test]
fn places_of_extremes_are_those_of_the_cpu() {
    let Some(device) = device() else { return };
    // With many ties, and zeros of both signs.
    let coarse = |i| if i % 11 == 3 { -0.0 } else { (noise(i) * 3.0).trunc() };
    for shape in SHAPES.into_iter().chain([WIDE]).filter(|shape| !shape.is_empty()) {
        for f in [&coarse as &dyn Fn(usize) -> f32, &specials] {
            for x in views(&floats(device, shape, f)) {
                for dim in 0..x.cube.shape().rank() {
                    let x = &x;
                    same!(0.0, x => B::float_argmax(x, dim, false));
                    same!(0.0, x => B::float_argmin(x, dim, true));
                }
                let x = &x;
                same!(0.0, x => B::float_max_dim(x, 0, true).0);
                same!(0.0, x => B::float_max_dim(x, 0, true).1);
                same!(0.0, x => B::float_min_dim(x, 0, false).0);
                same!(0.0, x => B::float_min_dim(x, 0, false).1);
            }
        }
    }
}

#[test]
fn places_are_integers_of_the_device() {
    let Some(device) = device() else { return };
    let x = floats(device, &[4], noise).cube;
    assert_eq!(Cube::float_argmax(x, 0, false).dtype(), Cube::int_dtype(&device));
}

#[test]
fn the_exponential_family_is_that_of_the_cpu() {
    let Some(device) = device() else { return };
    for shape in SHAPES.into_iter().chain([WIDE]).filter(|shape| !shape.is_empty()) {
        for f in [noise as fn(usize) -> f32, specials] {
            for x in views(&floats(device, shape, f)) {
                let x = &x;
                for dim in 0..x.cube.shape().rank() {
                    same!(1e-5, x => B::softmax(x, dim));
                    same!(1e-5, x => B::log_softmax(x, dim));
                }
                for dims in some_dims(x.cube.shape().rank()) {
                    same!(1e-5, x => B::float_log_sum_exp(x, &dims, false));
                }
            }
        }
    }
}

#[test]
fn large_logits_do_not_overflow() {
    let Some(device) = device() else { return };
    let x = floats(device, &[2, 3], |i| [1e4, 1e4, -1e4, -1e30, -1e30, -3e38][i]);
    same!(1e-6, x => B::softmax(x, 1));
    same!(1e-6, x => B::log_softmax(x, 1));
    same!(1e-6, x => B::float_log_sum_exp(x, &[1], false));
    assert_eq!(values(&Cube::softmax(x.cube, 1))[..3], [0.5, 0.5, 0.0]);
}

#[test]
fn log_sum_exp_of_infinities_is_one() {
    let Some(device) = device() else { return };
    let inf = f32::INFINITY;
    let x = floats(device, &[3, 2], |i| [-inf, -inf, inf, 1.0, -inf, 2.0][i]).cube;
    assert_eq!(values(&Cube::float_log_sum_exp(x, &[1], false)), [-inf, inf, 2.0]);
}

#[test]
fn a_failed_tensor_reduces_to_a_failed_one() {
    let Some(device) = device() else { return };
    let huge: fn(CubeDevice) -> CubeTensor =
        |device| CubeTensor::compute("huge", [], [1 << 31].into(), DType::F32, device, |_, _| {});
    for failed in [
        Cube::float_sum(huge(device), &[0], false),
        Cube::float_max_dim(huge(device), 0, true).0,
        Cube::softmax(huge(device), 0),
    ] {
        assert_eq!(failed.failure().unwrap().op(), Some("huge"));
    }
}

#[test]
fn products_scans_and_orders_are_those_of_the_cpu() {
    let Some(device) = device() else { return };
    for shape in SHAPES.into_iter().chain([LARGE, WIDE]) {
        // Close to 1, so that the product of thousands stays in range.
        for x in views(&floats(device, shape, |i| 1.0 + 1e-3 * noise(i))) {
            let rank = x.cube.shape().rank();
            let x = &x;
            // Each of two million factors adds an error of its own, in any order.
            for dims in some_dims(rank) {
                same!(1e-3, x => B::float_prod(x, &dims, false));
            }
            for dim in 0..rank {
                same!(1e-5, x => B::float_cumsum(x, dim));
                same!(1e-4, x => B::float_cumprod(x, dim));
                // Many are equal.
                same!(0.0, x => B::float_argsort(B::float_round(B::float_mul_scalar(x, 3e3)), dim, dim == 0));
            }
        }
    }
}

#[test]
fn orders_are_stable_with_nan_as_the_greatest() {
    let Some(device) = device() else { return };
    let x = &floats(device, &[2000], specials);
    same!(0.0, x => B::float_argsort(x, 0, false));
    same!(0.0, x => B::float_argsort(x, 0, true));
}
