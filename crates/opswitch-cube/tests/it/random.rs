//! The random generator.

use std::sync::{Mutex, MutexGuard, PoisonError};

use opswitch_core::{
    DType,
    ops::{Distribution, FloatOps},
};
use opswitch_cube::{Cube, CubeDevice, DEFAULT_SEED};

use crate::{
    compare::{panic_text, values},
    device,
};

const UNIT: Distribution = Distribution::Uniform { low: 0.0, high: 1.0 };
const NORMAL: Distribution = Distribution::Normal { mean: 0.0, std: 1.0 };

/// The generator belongs to the device, which the tests of this file take in turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn random(len: usize, distribution: Distribution, device: CubeDevice) -> Vec<f32> {
    values(&Cube::float_random([len].into(), distribution, DType::F32, &device))
}

#[test]
fn the_words_are_those_of_philox() {
    let Some(device) = device() else { return };
    let _turn = alone();
    Cube::float_seed(DEFAULT_SEED, &device);
    // From the known answers of Random123 for a counter and a key of zeros.
    let words = [0x6627_e8d5u32, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8];
    assert_eq!(random(4, UNIT, device), words.map(|word| (word >> 8) as f32 / (1 << 24) as f32));
}

#[test]
fn a_seed_starts_its_sequence_anew() {
    let Some(device) = device() else { return };
    let _turn = alone();
    Cube::float_seed(7, &device);
    let first = [random(1001, UNIT, device), random(5, NORMAL, device)];
    Cube::float_seed(7, &device);
    assert_eq!([random(1001, UNIT, device), random(5, NORMAL, device)], first);
    assert_ne!(random(1001, UNIT, device), first[0]);
    Cube::float_seed(7 << 32, &device);
    assert_ne!(random(1001, UNIT, device), first[0]);
}

#[test]
fn distributions_have_their_moments() {
    let Some(device) = device() else { return };
    let _turn = alone();
    Cube::float_seed(1, &device);
    let len = 100_000;
    let moments = |distribution| {
        let x = random(len, distribution, device);
        let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / len as f64;
        let variance = x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / len as f64;
        (x, mean, variance)
    };
    // Bounds of five standard errors.
    let (x, mean, variance) = moments(Distribution::Uniform { low: -1.0, high: 3.0 });
    assert!(x.iter().all(|x| (-1.0..3.0).contains(x)));
    assert!((mean - 1.0).abs() < 0.019 && (variance - 4.0 / 3.0).abs() < 0.019, "{mean} {variance}");
    let (x, mean, variance) = moments(Distribution::Normal { mean: 2.0, std: 3.0 });
    assert!((mean - 2.0).abs() < 0.048 && (variance - 9.0).abs() < 0.21, "{mean} {variance}");
    let beyond = x.iter().filter(|&&x| (x - 2.0).abs() > 6.0).count() as f64 / len as f64;
    assert!((beyond - 0.0455).abs() < 0.0034, "{beyond} lie beyond two standard deviations");
    let (x, mean, _) = moments(Distribution::Bernoulli { probability: 0.3 });
    assert!(x.iter().all(|&x| x == 0.0 || x == 1.0) && (mean - 0.3).abs() < 0.0073, "{mean}");
}

#[test]
fn edges_of_distributions_are_kept() {
    let Some(device) = device() else { return };
    let _turn = alone();
    assert_eq!(random(9, Distribution::Bernoulli { probability: 0.0 }, device), [0.0; 9]);
    assert_eq!(random(9, Distribution::Bernoulli { probability: 1.0 }, device), [1.0; 9]);
    assert_eq!(random(9, Distribution::Uniform { low: 2.5, high: 2.5 }, device), [2.5; 9]);
    assert_eq!(random(9, Distribution::Normal { mean: 4.0, std: 0.0 }, device), [4.0; 9]);
    // All that lies below `high` and rounds to it.
    let high = 1.0 + f64::from(f32::EPSILON);
    assert!(random(1000, Distribution::Uniform { low: 1.0, high }, device).iter().all(|&x| x == 1.0));
    assert_eq!(random(0, UNIT, device), [0.0; 0]);
}

#[test]
fn distributions_that_do_not_exist_are_refused() {
    let Some(device) = device() else { return };
    let text = |distribution| panic_text(|| random(1, distribution, device));
    assert!(text(Distribution::Uniform { low: 2.0, high: 1.0 }).contains("`low` not above `high`"));
    assert!(text(Distribution::Normal { mean: 0.0, std: -1.0 }).contains("`std` of at least 0"));
    assert!(text(Distribution::Bernoulli { probability: 1.5 }).contains("a probability lies in 0..=1"));
}
