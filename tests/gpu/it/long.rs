//! Rows and indices of more steps than a driver lets a loop take: Mesa's in software ends loops after 65,535.

use opswitch::{
    Backend as _, DType, Dispatch, DispatchDevice, FloatTensor, TensorHandle as _,
    ops::{FloatOps as _, IntOps as _, NnOps as _},
};

use super::devices;

type Float = FloatTensor<Dispatch>;

/// Shared among 256 units of a group, these are 66,407 steps each.
const LONG: usize = 17_000_000;

fn values(tensor: Float) -> Vec<f32> {
    Dispatch::float_into_data_blocking(tensor).expect("the device works").to_vec()
}

/// A long row of zeros before its last element.
fn row(last: f64, device: &DispatchDevice) -> Float {
    let zeros = Dispatch::float_zeros([LONG].into(), DType::F32, device);
    let last = Dispatch::float_full([1].into(), last, DType::F32, device);
    Dispatch::float_slice_assign(zeros, &[((LONG - 1) as isize..).into()], last)
}

/// The first and the last element.
fn ends(x: Float) -> [f32; 2] {
    let last = x.shape().num_elements() - 1;
    let end =
        |at: usize| values(Dispatch::float_slice(x.clone(), &[(at as isize..at as isize + 1).into()]))[0];
    [end(0), end(last)]
}

#[track_caller]
fn assert_close(got: f32, want: f64, device: &DispatchDevice) {
    assert!((f64::from(got) - want).abs() <= 1e-5 * want.abs(), "got {got}, want {want} on {device}");
}

#[test]
fn every_index_is_added_at() {
    for device in devices() {
        let count = 100_000;
        let x = Dispatch::float_zeros([3].into(), DType::F32, &device);
        let index = Dispatch::int_ones([count].into(), DType::I32, &device);
        let src = Dispatch::float_ones([count].into(), DType::F32, &device);
        let selected = Dispatch::float_select_add(x.clone(), 0, index.clone(), src.clone());
        assert_eq!(values(selected), [0.0, count as f32, 0.0], "{device}");
        let scattered = Dispatch::float_scatter_add(x, 0, index, src);
        assert_eq!(values(scattered), [0.0, count as f32, 0.0], "{device}");
    }
}

#[test]
fn the_extreme_of_a_row_may_be_its_last_element() {
    for device in devices() {
        let place = Dispatch::float_argmax(row(1.0, &device), 0, false);
        let place = Dispatch::int_into_data_blocking(place).expect("the device works").to_vec::<i64>();
        assert_eq!(place, [LONG as i64 - 1], "{device}");
        let (value, _) = Dispatch::float_max_dim(row(1.0, &device), 0, false);
        assert_eq!(values(value), [1.0], "{device}");
    }
}

#[test]
fn a_row_of_probabilities() {
    let e = std::f64::consts::E;
    let sum = (LONG - 1) as f64 + e;
    for device in devices() {
        let [first, last] = ends(Dispatch::softmax(row(1.0, &device), 0));
        assert_close(first, 1.0 / sum, &device);
        assert_close(last, e / sum, &device);
        let [first, last] = ends(Dispatch::log_softmax(row(1.0, &device), 0));
        assert_close(first, -sum.ln(), &device);
        assert_close(last, 1.0 - sum.ln(), &device);
        let total = Dispatch::float_log_sum_exp(row(1.0, &device), &[0], false);
        assert_close(values(total)[0], sum.ln(), &device);
    }
}

#[test]
fn an_infinite_element_makes_a_row_of_nan() {
    for device in devices() {
        let row = row(f64::INFINITY, &device);
        assert!(ends(Dispatch::softmax(row.clone(), 0)).iter().all(|x| x.is_nan()), "{device}");
        let total = Dispatch::float_log_sum_exp(row, &[0], false);
        assert_eq!(values(total), [f32::INFINITY], "{device}");
    }
}
