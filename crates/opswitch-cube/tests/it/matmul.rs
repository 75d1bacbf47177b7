//! Matrix products.

use half::f16;
use opswitch_core::{Backend, DType, ops::FloatOps};
use opswitch_cpu::Cpu;
use opswitch_cube::{Cube, CubeTensor};

use crate::{
    compare::{floats, noise, panic_text, same, view},
    device,
};

/// What rounding leaves of sums of that many products of numbers up to 1.
fn tolerance(terms: usize) -> f64 {
    1e-6 * (terms as f64).sqrt().max(1.0)
}

#[test]
fn products_are_those_of_the_cpu() {
    let Some(device) = device() else { return };
    let shapes: [(&[usize], &[usize]); 17] = [
        (&[1, 1], &[1, 1]),
        (&[2, 3], &[3, 4]),
        (&[65, 33], &[33, 17]),
        (&[128, 256], &[256, 64]),
        (&[1, 300], &[300, 1]),
        (&[300, 1], &[1, 300]),
        (&[5], &[5]),
        (&[5], &[3, 5, 7]),
        (&[3, 7, 5], &[5]),
        (&[2, 1, 5, 6], &[3, 6, 4]),
        (&[4, 7, 9], &[1, 9, 3]),
        (&[7, 9], &[4, 9, 3]),
        (&[2, 0], &[0, 3]),
        (&[0], &[0]),
        (&[0, 2], &[2, 3]),
        (&[0, 2, 3], &[3, 2]),
        (&[3, 2, 0], &[0, 2]),
    ];
    for (left, right) in shapes {
        let lhs = floats(device, left, noise);
        let rhs = floats(device, right, |i| noise(i + 10_000));
        same!(tolerance(*left.last().unwrap()), lhs, rhs => B::float_matmul(lhs, rhs));
    }
}

#[test]
fn views_are_multiplied_as_they_lie() {
    let Some(device) = device() else { return };
    let lhs = floats(device, &[5, 12, 6], noise);
    let rhs = floats(device, &[6, 12], |i| noise(i + 10_000));
    same!(1e-5, lhs, rhs => B::float_matmul(B::float_swap_dims(lhs, 1, 2), B::float_transpose(rhs)));
    same!(1e-5, lhs, rhs => B::float_matmul(B::float_permute(lhs, &[1, 0, 2]), rhs));
    same!(1e-5, lhs, rhs => B::float_matmul(B::float_permute(lhs, &[2, 1, 0]), B::float_slice(rhs, &[(1..).into()])));
    same!(1e-5, lhs, rhs => B::float_matmul(lhs, B::float_expand(rhs, [5, 6, 12].into())));
    same!(1e-5, lhs, rhs => B::float_matmul(B::float_flip(lhs, &[0, 2]), B::float_flip(rhs, &[0])));
    same!(1e-5, lhs, rhs => B::float_matmul(
        B::float_slice(lhs, &[(1..4).into(), (..).into(), (2..5).into()]),
        B::float_slice(rhs, &[(3..).into(), (1..8).into()]),
    ));
    let row = floats(device, &[1, 6], noise);
    same!(1e-5, row, rhs => B::float_matmul(B::float_expand(row, [9, 6].into()), rhs));
}

#[test]
fn halves_are_summed_in_single_precision() {
    let Some(device) = device() else { return };
    if !Cube::supports(DType::F16, &device) {
        return println!("skipped: {device} has no f16");
    }
    let full = |shape: &[usize]| Cube::float_full(shape.into(), 1.0, DType::F16, &device);
    let product = Cube::float_matmul(full(&[3, 4099]), full(&[4099, 2]));
    let values = Cube::float_into_data_blocking(product).unwrap().to_vec::<f16>();
    assert_eq!(values, [f16::from_f32(4099.0); 6]);
}

#[test]
fn nan_and_infinity_pass_through() {
    let Some(device) = device() else { return };
    let lhs = floats(device, &[3, 2], |i| [f32::NAN, 1.0, f32::INFINITY, 1.0, 0.0, 1.0][i]);
    let rhs = floats(device, &[2, 2], |i| [1.0, 0.0, 2.0, 3.0][i]);
    same!(0.0, lhs, rhs => B::float_matmul(lhs, rhs));
}

#[test]
fn shapes_that_do_not_fit_are_refused_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let (lhs, rhs) = (floats(device, &[2, 3], noise), floats(device, &[4, 3], noise));
    let text = panic_text(|| Cube::float_matmul(lhs.cube, rhs.cube));
    assert_eq!(text, panic_text(|| Cpu::float_matmul(lhs.cpu, rhs.cpu)));
}

#[test]
fn a_failed_factor_fails_the_product() {
    let Some(device) = device() else { return };
    let huge = CubeTensor::compute("huge", [], [1 << 16, 1 << 15].into(), DType::F32, device, |_, _| {});
    let product = Cube::float_matmul(huge, floats(device, &[1 << 15], noise).cube);
    assert_eq!(product.failure().unwrap().op(), Some("huge"));
}
