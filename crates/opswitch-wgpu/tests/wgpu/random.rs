//! Random elements: the published generator, its distributions, and that a seed repeats them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use opswitch_core::{
    DType,
    ops::{Distribution, FloatOps},
};
use opswitch_wgpu::{Wgpu, WgpuDevice};

use crate::common::{device_or_skip, values};

const UNIT: Distribution = Distribution::Uniform { low: 0.0, high: 1.0 };

fn sample(len: usize, distribution: Distribution, device: WgpuDevice) -> Vec<f32> {
    values(Wgpu::float_random([len].into(), distribution, DType::F32, &device))
}

/// The generator of the device, which tests share, to themselves.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn seeded(seed: u64, len: usize, distribution: Distribution, device: WgpuDevice) -> Vec<f32> {
    let _turn = turn();
    Wgpu::float_seed(seed, &device);
    sample(len, distribution, device)
}

#[test]
fn words_are_those_of_philox() {
    let device = device_or_skip!();
    // The known answers of Random123 1.14 for counter and key 0: the upper 24 bits of each word.
    let words = [0x6627_e8d5u32, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8];
    let expected = words.map(|word| (word >> 8) as f32 / 16_777_216.0);
    assert_eq!(seeded(0, 4, UNIT, device), expected);
}

#[test]
fn a_seed_repeats_its_elements() {
    let device = device_or_skip!();
    for distribution in
        [UNIT, Distribution::Normal { mean: 1.0, std: 2.0 }, Distribution::Bernoulli { probability: 0.5 }]
    {
        let first = seeded(7, 1001, distribution, device);
        assert_eq!(seeded(7, 1001, distribution, device), first);
        assert_ne!(seeded(8, 1001, distribution, device), first);
        assert_ne!(seeded(7 + (1 << 32), 1001, distribution, device), first);
    }
}

#[test]
fn elements_that_follow_are_new() {
    let device = device_or_skip!();
    let _turn = turn();
    let (first, second) = (sample(1000, UNIT, device), sample(1000, UNIT, device));
    assert!(first.iter().zip(&second).all(|(x, y)| x != y));
}

#[test]
fn uniform_elements_fill_their_range() {
    let device = device_or_skip!();
    let x = seeded(1, 100_000, Distribution::Uniform { low: -1.0, high: 3.0 }, device);
    assert!(x.iter().all(|x| (-1.0..3.0).contains(x)));
    let tenths = x.iter().fold([0; 10], |mut tenths, x| {
        tenths[((x + 1.0) * 2.5) as usize] += 1;
        tenths
    });
    // 10,000 are expected, with a standard deviation of 95.
    assert!(tenths.iter().all(|count: &i32| (count - 10_000).abs() < 500), "{tenths:?}");
    // Two floats are in this range, and its end is never reached.
    let next = 1f32.next_up().next_up();
    let narrow = seeded(1, 1000, Distribution::Uniform { low: 1.0, high: next.into() }, device);
    assert!(narrow.iter().all(|x| (1.0..next).contains(x)));
    assert_eq!(seeded(1, 3, Distribution::Uniform { low: 2.0, high: 2.0 }, device), [2.0; 3]);
}

#[test]
fn normal_elements_have_the_moments_of_their_distribution() {
    let device = device_or_skip!();
    let x = seeded(2, 200_000, Distribution::Normal { mean: 3.0, std: 2.0 }, device);
    let z: Vec<f64> = x.iter().map(|&x| (f64::from(x) - 3.0) / 2.0).collect();
    let moment = |power: i32| z.iter().map(|z| z.powi(power)).sum::<f64>() / z.len() as f64;
    for (power, expected) in [(1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)] {
        assert!((moment(power) - expected).abs() < 0.1, "moment {power} is {}", moment(power));
    }
    // 4.55 % lie beyond two standard deviations.
    let far = z.iter().filter(|z| z.abs() > 2.0).count() as f64 / z.len() as f64;
    assert!((far - 0.0455).abs() < 0.005, "{far}");
    let pairs: f64 = z.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / z.len() as f64;
    assert!(pairs.abs() < 0.02, "{pairs}");
}

#[test]
fn bernoulli_elements_are_zero_or_one() {
    let device = device_or_skip!();
    let count = |probability: f64| {
        let x = seeded(3, 100_000, Distribution::Bernoulli { probability }, device);
        assert!(x.iter().all(|&x| x == 0.0 || x == 1.0));
        x.iter().filter(|&&x| x == 1.0).count()
    };
    assert_eq!([count(0.0), count(1.0)], [0, 100_000]);
    assert!(count(0.25).abs_diff(25_000) < 1000);
}

#[test]
fn a_distribution_that_does_not_exist_is_refused() {
    let device = device_or_skip!();
    let failure = |distribution: Distribution| {
        let panic = std::panic::catch_unwind(|| sample(1, distribution, device)).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    assert_eq!(
        failure(Distribution::Uniform { low: 1.0, high: 0.0 }),
        "float_random: a uniform distribution needs finite bounds, `low` not above `high`"
    );
    assert_eq!(
        failure(Distribution::Normal { mean: 0.0, std: -1.0 }),
        "float_random: a normal distribution needs a finite mean and a finite `std` of at least 0"
    );
    assert_eq!(
        failure(Distribution::Bernoulli { probability: 2.0 }),
        "float_random: a probability lies in 0..=1"
    );
}
