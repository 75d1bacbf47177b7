//! `float_random`, `float_seed` and `dropout`: what is random is known by its moments, its range, and that a seed repeats it.

use std::sync::{Mutex, PoisonError};

use opswitch::{
    AutodiffOps as _, Backend as _, BackwardOptions, DType, Device, DispatchDeviceHandle as _, FloatTensor,
    TensorData,
    ops::{Distribution, FloatOps as _, NnOps as _},
};

use crate::Dispatch;

/// How many elements make a mean that is within five of its standard deviations on every run.
const COUNT: usize = 10_000;

/// A device has one generator, which the tests of this file share.
static GENERATORS: Mutex<()> = Mutex::new(());

/// The float types of a device in which ten thousand elements have a mean.
fn dtypes(device: &Device<Dispatch>) -> Vec<DType> {
    let has = |dtype: &DType| {
        let data = TensorData::new(vec![0.0f64], [1]).expect("one element").cast(*dtype);
        Dispatch::float_from_data(data, device).is_ok()
    };
    [DType::F64, DType::F32].into_iter().filter(has).collect()
}

fn drawn(distribution: Distribution, dtype: DType, device: &Device<Dispatch>) -> Vec<f64> {
    let tensor = Dispatch::float_random([COUNT].into(), distribution, dtype, device);
    let data = Dispatch::float_into_data_blocking(tensor).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((data.shape().dims(), data.dtype()), (&[COUNT][..], dtype), "on {device}");
    data.to_vec()
}

/// Calls `check` with every device and float type.
fn everywhere(check: impl Fn(&Device<Dispatch>, DType)) {
    let _alone = GENERATORS.lock().unwrap_or_else(PoisonError::into_inner);
    for device in Dispatch::devices() {
        for dtype in dtypes(&device) {
            Dispatch::float_seed(7, &device);
            check(&device, dtype);
        }
    }
}

/// Checks that mean and variance are within five standard deviations of what they estimate.
fn check_moments(values: &[f64], mean: f64, variance: f64, fourth: f64, place: &str) {
    let count = values.len() as f64;
    let found = values.iter().sum::<f64>() / count;
    let allowed = 5.0 * (variance / count).sqrt();
    assert!((found - mean).abs() <= allowed, "{place}: a mean of {found}, not {mean} ± {allowed}");
    let found = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let allowed = 5.0 * ((fourth - variance * variance).max(0.0) / count).sqrt() + 1e-12;
    assert!(
        (found - variance).abs() <= allowed,
        "{place}: a variance of {found}, not {variance} ± {allowed}"
    );
}

#[test]
fn uniform_numbers_fill_their_range() {
    everywhere(|device, dtype| {
        let values = drawn(Distribution::Uniform { low: -1.0, high: 3.0 }, dtype, device);
        let place = format!("{device} in {dtype}");
        assert!(values.iter().all(|value| (-1.0..=3.0).contains(value)), "{place}: outside of its range");
        let reach = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
        assert!(reach.0 < -0.99 && reach.1 > 2.99, "{place}: only from {} to {}", reach.0, reach.1);
        // (b - a)² / 12 and (b - a)⁴ / 80.
        check_moments(&values, 1.0, 16.0 / 12.0, 256.0 / 80.0, &place);
    });
}

#[test]
fn normal_numbers_have_their_moments() {
    everywhere(|device, dtype| {
        let values = drawn(Distribution::Normal { mean: 2.0, std: 0.5 }, dtype, device);
        let place = format!("{device} in {dtype}");
        check_moments(&values, 2.0, 0.25, 3.0 * 0.0625, &place);
        // 68.27 % are within one standard deviation.
        let within = values.iter().filter(|value| (*value - 2.0).abs() < 0.5).count() as f64 / COUNT as f64;
        assert!((within - 0.6827).abs() < 0.025, "{place}: {within} within one standard deviation");
    });
}

#[test]
fn bernoulli_numbers_are_zeros_and_ones() {
    everywhere(|device, dtype| {
        let values = drawn(Distribution::Bernoulli { probability: 0.25 }, dtype, device);
        let place = format!("{device} in {dtype}");
        assert!(values.iter().all(|&value| value == 0.0 || value == 1.0), "{place}: something else");
        let mean = values.iter().sum::<f64>() / COUNT as f64;
        assert!((mean - 0.25).abs() < 0.022, "{place}: {mean} of them are ones");
        for (probability, all) in [(0.0, 0.0), (1.0, 1.0)] {
            let values = drawn(Distribution::Bernoulli { probability }, dtype, device);
            assert!(values.iter().all(|&value| value == all), "{place}: with probability {probability}");
        }
    });
}

#[test]
fn a_seed_repeats_its_sequence() {
    everywhere(|device, dtype| {
        let distribution = Distribution::Uniform { low: 0.0, high: 1.0 };
        let first = [drawn(distribution, dtype, device), drawn(distribution, dtype, device)];
        assert_ne!(first[0], first[1], "{device} in {dtype}: the generator stands still");
        Dispatch::float_seed(7, device);
        let again = [drawn(distribution, dtype, device), drawn(distribution, dtype, device)];
        assert_eq!(first, again, "{device} in {dtype}: a seed gives another sequence");
        Dispatch::float_seed(8, device);
        assert_ne!(first[0], drawn(distribution, dtype, device), "{device} in {dtype}: all seeds are one");
    });
}

/// Neighbours know nothing of each other: their correlation is within five standard deviations of 0.
#[test]
fn neighbours_are_independent() {
    everywhere(|device, dtype| {
        let values = drawn(Distribution::Uniform { low: -1.0, high: 1.0 }, dtype, device);
        for distance in [1, 2, 32, 64] {
            let pairs = values.iter().zip(&values[distance..]);
            let products: f64 = pairs.map(|(first, second)| first * second).sum();
            let correlation = products / (COUNT - distance) as f64 * 3.0;
            assert!(
                correlation.abs() < 0.05,
                "{device} in {dtype}: {correlation} at a distance of {distance}"
            );
        }
    });
}

/// An autodiff device draws from the generator of the device inside.
#[test]
fn autodiff_draws_the_same() {
    everywhere(|device, dtype| {
        let distribution = Distribution::Normal { mean: 0.0, std: 1.0 };
        let plain = drawn(distribution, dtype, device);
        let autodiff =
            device.clone().try_autodiff_with(opswitch::Checkpointing::Off).expect("autodiff is listed");
        Dispatch::float_seed(7, &autodiff);
        assert_eq!(plain, drawn(distribution, dtype, &autodiff), "{device} in {dtype}");
    });
}

fn values(tensor: FloatTensor<Dispatch>) -> Vec<f64> {
    Dispatch::float_into_data_blocking(tensor).unwrap_or_else(|error| panic!("{error}")).to_vec()
}

#[test]
fn dropout_keeps_the_expected_value_and_the_gradient_of_what_it_keeps() {
    everywhere(|device, dtype| {
        let place = format!("{device} in {dtype}");
        let autodiff =
            device.clone().try_autodiff_with(opswitch::Checkpointing::Off).expect("autodiff is listed");
        let x = Dispatch::float_full([COUNT].into(), 3.0, dtype, &autodiff);
        let x = Dispatch::require_grad(x).expect("on an autodiff device");
        let y = Dispatch::dropout(x.clone(), 0.25);
        let seed = Dispatch::float_full([COUNT].into(), 6.0, dtype, &autodiff);
        let gradients = Dispatch::backward(y.clone(), Some(seed), BackwardOptions::default())
            .unwrap_or_else(|error| panic!("{place}: {error}"));
        let slope = Dispatch::gradient(&x, &gradients).expect("on an autodiff device").expect("a gradient");
        let (y, slope) = (values(y), values(slope));
        assert!(y.iter().zip(&slope).all(|pair| matches!(pair, (4.0, 8.0) | (0.0, 0.0))), "{place}");
        let dropped = y.iter().filter(|&&y| y == 0.0).count() as f64 / COUNT as f64;
        // Five standard deviations of the share.
        assert!((dropped - 0.25).abs() < 0.022, "{place}: {dropped} of them are dropped");
        Dispatch::float_seed(7, device);
        let again = values(Dispatch::dropout(x.clone(), 0.25));
        assert_eq!(y, again, "{place}: a seed drops others");
        assert_ne!(y, values(Dispatch::dropout(x, 0.25)), "{place}: the same are dropped again");
    });
}

#[test]
fn dropout_of_everything_leaves_no_nan() {
    everywhere(|device, dtype| {
        let x = Dispatch::float_full([3].into(), f64::INFINITY, dtype, device);
        assert_eq!(values(Dispatch::dropout(x, 1.0)), [0.0; 3], "{device} in {dtype}");
    });
}
