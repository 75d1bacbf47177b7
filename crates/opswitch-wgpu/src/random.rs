//! The random generator of a device.
//!
//! Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): block `n` of four words is a function of `n` and the seed. A device
//! numbers its blocks from 0 after it is seeded, so that the same seed gives the same elements, on every adapter.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use opswitch_core::{DType, OrRaise, Shape, check_type, ops::Distribution};

use crate::{
    device::WgpuDevice,
    elementwise::stored_type,
    kernel::{Kernel, Values, variant},
    launch::Launch,
    tensor::WgpuTensor,
};

// SAFETY: no element beyond `len` is written.
static RANDOM: Kernel = unsafe { Kernel::trusted("random", include_str!("kernels/random.wgsl")) };

/// The seed with which the generator of a device starts in every process: results repeat unless a program seeds it
/// otherwise.
pub const DEFAULT_SEED: u64 = 0;

/// Where a device is in its sequence.
struct Generator {
    seed: u64,
    /// The number of the next block.
    next: u64,
}

static GENERATORS: LazyLock<Mutex<HashMap<WgpuDevice, Generator>>> = LazyLock::new(Mutex::default);

fn generators() -> MutexGuard<'static, HashMap<WgpuDevice, Generator>> {
    // A generator is valid after every step, so that a panic elsewhere leaves nothing half done.
    GENERATORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the generator of a device anew.
pub(crate) fn seed(seed: u64, device: WgpuDevice) {
    generators().insert(device, Generator { seed, next: 0 });
}

/// Elements of a distribution.
#[track_caller]
pub(crate) fn random(
    op: &'static str,
    shape: Shape,
    distribution: Distribution,
    dtype: DType,
    device: WgpuDevice,
) -> WgpuTensor {
    distribution.check(op).or_raise();
    check_type(op, "a float type", dtype, DType::is_float);
    let y = WgpuTensor::new(op, device, shape, dtype);
    let len = y.layout().num_elements();
    let blocks = len.div_ceil(4);
    let (seed, first) = take_blocks(device, blocks as u64);
    let [a, b, c] = parameters(distribution).map(f32::to_bits);
    let halves = |word: u64| [word as u32, (word >> 32) as u32];
    let ([key, key_high], [first, first_high]) = (halves(seed), halves(first));
    let name = name(distribution);
    Launch::new(op, &RANDOM)
        .variant(variant([name.as_bytes()[0], dtype as u8]), &|| values(name, dtype))
        .output(&y)
        .params(&[len as u32, a, b, c, key, key_high, first, first_high])
        .dispatch_each(blocks, 64);
    y
}

/// The seed, and the number of the first of `count` blocks that no one else gets.
fn take_blocks(device: WgpuDevice, count: u64) -> (u64, u64) {
    let mut generators = generators();
    let generator = generators.entry(device).or_insert(Generator { seed: DEFAULT_SEED, next: 0 });
    let first = generator.next;
    generator.next = first.wrapping_add(count);
    (generator.seed, first)
}

/// What the kernel calls its distribution; the first letters differ.
fn name(distribution: Distribution) -> &'static str {
    match distribution {
        Distribution::Uniform { .. } => "uniform",
        Distribution::Normal { .. } => "normal",
        Distribution::Bernoulli { .. } => "bernoulli",
    }
}

/// What the kernel knows as `a`, `b` and `c`.
fn parameters(distribution: Distribution) -> [f32; 3] {
    match distribution {
        Distribution::Uniform { low, high } => {
            let [low, high] = [low, high].map(|bound| bound.clamp(f32::MIN.into(), f32::MAX.into()));
            [low as f32, high as f32, last_before(high).max(low as f32)]
        }
        Distribution::Normal { mean, std } => [mean as f32, std as f32, 0.0],
        Distribution::Bernoulli { probability } => [probability as f32, 0.0, 0.0],
    }
}

/// The greatest f32 below `high`.
fn last_before(high: f64) -> f32 {
    let nearest = high as f32;
    if f64::from(nearest) < high { nearest } else { nearest.next_down() }
}

fn values(distribution: &'static str, dtype: DType) -> Values {
    vec![("distribution", distribution.into()), ("type", stored_type(dtype).into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate;

    #[test]
    fn the_kernel_is_valid_for_every_distribution() {
        for distribution in ["uniform", "normal", "bernoulli"] {
            for dtype in [DType::F32, DType::F16] {
                validate(&RANDOM, &values(distribution, dtype));
            }
        }
    }

    #[test]
    fn the_last_float_before_a_bound_is_below_it() {
        assert_eq!(last_before(1.0), 1.0f32.next_down());
        assert!(f64::from(last_before(0.1)) < 0.1);
        assert!(f64::from(last_before(0.7)) < 0.7);
    }
}
