//! Random numbers, from Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
//!
//! The generator turns a counter and a key, the seed, into four independent words, without a state that units would have to
//! share. Each device counts the blocks of four that it has given out.

use std::{
    collections::HashMap,
    f32::consts::TAU,
    sync::{LazyLock, Mutex, PoisonError},
};

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{DType, OrRaise, Shape, check_type, ops::Distribution};

use crate::{device::CubeDevice, element::elem_type, launch::grid, math::ln, tensor::CubeTensor};

/// The seed with which the generator of each device starts in every process: results repeat unless a program seeds it
/// otherwise.
pub const DEFAULT_SEED: u64 = 0;

/// Words that one evaluation of the generator gives.
const BLOCK: usize = 4;

const MULTIPLIER_0: u32 = 0xD251_1F53;
const MULTIPLIER_1: u32 = 0xCD9E_8D57;
const WEYL_0: u32 = 0x9E37_79B9;
const WEYL_1: u32 = 0xBB67_AE85;
const ROUNDS: u32 = 10;

static GENERATORS: LazyLock<Mutex<HashMap<CubeDevice, Generator>>> = LazyLock::new(Mutex::default);

/// Where a device is in the sequence of its seed.
#[derive(Clone, Copy)]
struct Generator {
    seed: u64,
    next_block: u64,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self { seed, next_block: 0 }
    }

    /// The first of `count` blocks that nobody else gets.
    fn take(&mut self, count: usize) -> Self {
        let taken = *self;
        self.next_block = self.next_block.wrapping_add(count as u64);
        taken
    }
}

/// Starts the generator of a device anew.
pub(crate) fn seed(seed: u64, device: CubeDevice) {
    with_generator(device, |generator| *generator = Generator::new(seed));
}

fn with_generator<T>(device: CubeDevice, f: impl FnOnce(&mut Generator) -> T) -> T {
    // A generator is valid after every step, so that a panic elsewhere leaves nothing half done.
    let mut generators = GENERATORS.lock().unwrap_or_else(PoisonError::into_inner);
    f(generators.entry(device).or_insert_with(|| Generator::new(DEFAULT_SEED)))
}

/// What the words of the generator become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shaping {
    Uniform,
    Normal,
    Bernoulli,
}

/// The four words of a block.
#[cube]
fn philox(low: u32, high: u32, key_low: u32, key_high: u32) -> (u32, u32, u32, u32) {
    let mut word_0 = low;
    let mut word_1 = high;
    let mut word_2 = 0u32.runtime();
    let mut word_3 = 0u32.runtime();
    let mut key_0 = key_low;
    let mut key_1 = key_high;
    #[unroll]
    for _ in 0..ROUNDS {
        let (high_0, low_0) = (u32::mul_hi(word_0, MULTIPLIER_0), word_0 * MULTIPLIER_0);
        let (high_1, low_1) = (u32::mul_hi(word_2, MULTIPLIER_1), word_2 * MULTIPLIER_1);
        word_0 = high_1 ^ word_1 ^ key_0;
        word_1 = low_1;
        word_2 = high_0 ^ word_3 ^ key_1;
        word_3 = low_0;
        key_0 += WEYL_0;
        key_1 += WEYL_1;
    }
    (word_0, word_1, word_2, word_3)
}

/// A multiple of 2<sup>-24</sup> in 0 <= u < 1.
#[cube]
fn unit_interval(word: u32) -> f32 {
    f32::cast_from(word >> 8) * 5.960_464_5e-8
}

/// Two independent standard normal numbers (Box and Muller 1958).
#[cube]
fn normal_pair(radius: u32, angle: u32) -> (f32, f32) {
    // In 0 < u <= 1, where the logarithm is finite.
    let uniform: f32 = 1.0f32 - unit_interval(radius);
    let length: f32 = (ln(uniform) * -2.0f32).sqrt();
    let turn: f32 = unit_interval(angle) * TAU;
    (length * turn.cos(), length * turn.sin())
}

/// The numbers of a block before they are scaled.
#[cube]
fn numbers(words: (u32, u32, u32, u32), #[comptime] shaping: Shaping) -> Array<f32> {
    let mut numbers = Array::<f32>::new(BLOCK);
    if comptime!(shaping == Shaping::Normal) {
        let (first, second) = normal_pair(words.0, words.1);
        let (third, fourth) = normal_pair(words.2, words.3);
        numbers[0] = first;
        numbers[1] = second;
        numbers[2] = third;
        numbers[3] = fourth;
    } else {
        numbers[0] = unit_interval(words.0);
        numbers[1] = unit_interval(words.1);
        numbers[2] = unit_interval(words.2);
        numbers[3] = unit_interval(words.3);
    }
    numbers
}

/// `offset + scale x`, at most `last`; of a Bernoulli distribution, 1 where x is below `scale`.
#[cube]
fn shaped(x: f32, offset: f32, scale: f32, last: f32, #[comptime] shaping: Shaping) -> f32 {
    if comptime!(shaping == Shaping::Bernoulli) {
        select(x < scale, 1.0f32.runtime(), 0.0f32.runtime())
    } else {
        min(offset + scale * x, last)
    }
}

#[cube(launch_unchecked)]
fn random_kernel<F: Float>(
    y: &mut [F],
    block_low: u32,
    block_high: u32,
    key_low: u32,
    key_high: u32,
    offset: f32,
    scale: f32,
    last: f32,
    #[comptime] shaping: Shaping,
    #[define(F)] _elem: ElemType,
) {
    if ABSOLUTE_POS < y.len().div_ceil(BLOCK) {
        let low = block_low + ABSOLUTE_POS as u32;
        let carry = select(low < block_low, 1u32.runtime(), 0u32.runtime());
        let words = philox(low, block_high + carry, key_low, key_high);
        let values = numbers(words, shaping);
        #[unroll]
        for i in 0..BLOCK {
            let at = ABSOLUTE_POS * BLOCK + i;
            if at < y.len() {
                y[at] = F::cast_from(shaped(values[i], offset, scale, last, shaping));
            }
        }
    }
}

/// Elements of a distribution.
///
/// # Panics
///
/// If there is no such distribution, or `dtype` is not a float type.
#[track_caller]
pub(crate) fn random(
    op: &'static str,
    shape: Shape,
    distribution: Distribution,
    dtype: DType,
    device: CubeDevice,
) -> CubeTensor {
    distribution.check(op).or_raise();
    let (shaping, [offset, scale, last]) = parameters(distribution);
    check_type(op, "a float type", dtype, DType::is_float);
    CubeTensor::compute(op, [], shape, dtype, device, |client, y| {
        let blocks = y.layout().num_elements().div_ceil(BLOCK);
        let Generator { seed, next_block } = with_generator(device, |generator| generator.take(blocks));
        let (count, dim) = grid(client, blocks);
        // SAFETY: the kernel stops at the end of `y`.
        unsafe {
            random_kernel::launch_unchecked(
                client,
                count,
                dim,
                y.buffer(),
                next_block as u32,
                (next_block >> 32) as u32,
                seed as u32,
                (seed >> 32) as u32,
                offset,
                scale,
                last,
                shaping,
                elem_type(dtype),
            );
        }
    })
}

/// How a distribution whose parameters were checked is made: its offset, its scale and its greatest value.
fn parameters(distribution: Distribution) -> (Shaping, [f32; 3]) {
    match distribution {
        Distribution::Uniform { low, high } => {
            // Rounding may reach `high`, which is not part of the range.
            let (low, width) = (low as f32, (high - low) as f32);
            (Shaping::Uniform, [low, width, (high as f32).next_down().max(low)])
        }
        Distribution::Normal { mean, std } => (Shaping::Normal, [mean as f32, std as f32, f32::INFINITY]),
        Distribution::Bernoulli { probability } => (Shaping::Bernoulli, [0.0, probability as f32, 1.0]),
    }
}
