//! The device's random generator.

use std::sync::{LazyLock, Mutex, PoisonError};

use opswitch_core::ops::Distribution;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::element::Float;

/// The seed with which the generator starts in every process: results repeat unless a program seeds it otherwise.
pub const DEFAULT_SEED: u64 = 0;

static GENERATOR: LazyLock<Mutex<ChaCha8Rng>> =
    LazyLock::new(|| Mutex::new(ChaCha8Rng::seed_from_u64(DEFAULT_SEED)));

/// Starts the generator anew.
pub(crate) fn seed(seed: u64) {
    with_generator(|generator| *generator = ChaCha8Rng::seed_from_u64(seed));
}

/// `len` elements of a distribution whose parameters were checked.
pub(crate) fn sample<E: Float>(distribution: Distribution, len: usize) -> Vec<E> {
    with_generator(|generator| match distribution {
        Distribution::Normal { mean, std } => {
            let pairs = std::iter::repeat_with(|| normal_pair(generator)).flatten();
            pairs.take(len).map(|z| E::from_f64(mean + std * z)).collect()
        }
        Distribution::Bernoulli { probability } => (0..len)
            .map(|_| E::from_f64(f64::from(u8::from(generator.random::<f64>() < probability))))
            .collect(),
        Distribution::Uniform { low, high } => {
            // Rounding may reach `high`, which is not part of the range.
            let (width, last) = (high - low, high.next_down().max(low));
            (0..len).map(|_| E::from_f64((low + width * generator.random::<f64>()).min(last))).collect()
        }
    })
}

/// Two independent standard normal numbers (Box and Muller 1958).
fn normal_pair(generator: &mut ChaCha8Rng) -> [f64; 2] {
    // In 0 < u <= 1, where the logarithm is finite.
    let radius = (-2.0 * (1.0 - generator.random::<f64>()).ln()).sqrt();
    let (sine, cosine) = (std::f64::consts::TAU * generator.random::<f64>()).sin_cos();
    [radius * cosine, radius * sine]
}

fn with_generator<T>(f: impl FnOnce(&mut ChaCha8Rng) -> T) -> T {
    // A generator is valid after every step, so that a panic elsewhere leaves nothing half done.
    f(&mut GENERATOR.lock().unwrap_or_else(PoisonError::into_inner))
}
