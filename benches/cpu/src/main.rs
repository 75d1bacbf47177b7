//! Ops and training steps on the CPU, beside candle and burn's flex backend, all with two threads.

mod burn_side;
mod candle_side;
mod opswitch_side;

use opswitch_bench_paired::compare;

/// What is measured.
const CASES: [&str; 14] = [
    "matmul, 64x64",
    "matmul, 512x512",
    "matmul, 1024x1024",
    "add, 1,000,000",
    "exp, 1,000,000",
    "gelu, 1,000,000",
    "sum over rows, 1000x1000",
    "sum over columns, 1000x1000",
    "softmax, 512x1024",
    "conv2d, 32x16x28x28 by 3x3x32",
    "layer_norm, 512x1024",
    "sum, 1,000,000",
    "training step, 64-128-64-10",
    "training step, conv 16, conv 32",
];

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let others = vec![candle_side::side(), burn_side::side()];
    compare(&CASES, vec![opswitch_side::side()], others, &filter);
}

/// The layers of the first network, as inputs and outputs.
const LAYERS: [(usize, usize); 3] = [(64, 128), (128, 64), (64, 10)];
/// The convolutions of the second network, as inputs and outputs.
const CONVOLUTIONS: [(usize, usize); 2] = [(1, 16), (16, 32)];
/// What is left for its linear layer after two poolings of 8x8 pixels.
const FLAT: usize = 32 * 2 * 2;
const EPSILON: f64 = 1e-5;
