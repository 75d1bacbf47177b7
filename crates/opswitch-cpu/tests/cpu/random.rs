//! The generator repeats, and its numbers have the moments of their distribution.

use std::sync::{Mutex, PoisonError};

use opswitch_core::{
    DType,
    ops::{Distribution, FloatOps},
};
use opswitch_cpu::{Cpu, CpuDevice};

use super::values;

/// The process has one generator; tests that seed it take turns.
static TURN: Mutex<()> = Mutex::new(());

const COUNT: usize = 100_000;

fn sample(distribution: Distribution) -> Vec<f64> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Cpu::float_seed(7, &CpuDevice);
    values(&Cpu::float_random([COUNT].into(), distribution, DType::F64, &CpuDevice))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn std(values: &[f64]) -> f64 {
    let center = mean(values);
    mean(&values.iter().map(|x| (x - center).powi(2)).collect::<Vec<_>>()).sqrt()
}

#[test]
fn a_seed_gives_the_same_sequence() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let draw = || {
        let normal = Distribution::Normal { mean: 0.0, std: 1.0 };
        values::<f32>(&Cpu::float_random([5].into(), normal, DType::F32, &CpuDevice))
    };
    Cpu::float_seed(1, &CpuDevice);
    let (first, second) = (draw(), draw());
    Cpu::float_seed(1, &CpuDevice);
    assert_eq!((draw(), draw()), (first.clone(), second.clone()));
    assert_ne!(first, second);
    Cpu::float_seed(2, &CpuDevice);
    assert_ne!(draw(), first);
}

// The bounds below are five standard errors of a sample of 100,000.

#[test]
fn uniform_numbers_fill_their_range() {
    let sample = sample(Distribution::Uniform { low: -1.0, high: 3.0 });
    assert!(sample.iter().all(|x| (-1.0..3.0).contains(x)));
    assert!((mean(&sample) - 1.0).abs() < 5.0 * 4.0 / 12f64.sqrt() / (COUNT as f64).sqrt());
    assert!((std(&sample) - 4.0 / 12f64.sqrt()).abs() < 0.01);
}

#[test]
fn normal_numbers_have_mean_deviation_and_tails() {
    let sample = sample(Distribution::Normal { mean: 2.0, std: 3.0 });
    assert!((mean(&sample) - 2.0).abs() < 5.0 * 3.0 / (COUNT as f64).sqrt());
    assert!((std(&sample) - 3.0).abs() < 5.0 * 3.0 / (2.0 * COUNT as f64).sqrt());
    // The share within one standard deviation is erf(1/sqrt(2)) = 0.6827.
    let within = sample.iter().filter(|&x| (x - 2.0).abs() < 3.0).count() as f64 / COUNT as f64;
    assert!((within - 0.682_689).abs() < 5.0 * (0.6827f64 * 0.3173 / COUNT as f64).sqrt());
}

#[test]
fn bernoulli_numbers_are_zero_or_one() {
    let sample = sample(Distribution::Bernoulli { probability: 0.3 });
    assert!(sample.iter().all(|&x| x == 0.0 || x == 1.0));
    assert!((mean(&sample) - 0.3).abs() < 5.0 * (0.21 / COUNT as f64).sqrt());
}

#[test]
fn certain_distributions_are_certain() {
    assert!(sample(Distribution::Bernoulli { probability: 0.0 }).iter().all(|&x| x == 0.0));
    assert!(sample(Distribution::Bernoulli { probability: 1.0 }).iter().all(|&x| x == 1.0));
    assert!(sample(Distribution::Normal { mean: 4.0, std: 0.0 }).iter().all(|&x| x == 4.0));
    assert!(sample(Distribution::Uniform { low: 2.0, high: 2.0 }).iter().all(|&x| x == 2.0));
}
