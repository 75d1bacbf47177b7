//! Ops and a training step on opswitch's GPU backends, beside burn's wgpu backend on the same adapter.

mod burn_side;
mod opswitch_side;

use opswitch_bench_paired::compare;

/// What is measured.
const CASES: [&str; 7] = [
    "add, 1,000,000",
    "exp, 1,000,000",
    "matmul, 512x512",
    "softmax, 512x1024",
    "sum, 1,000,000",
    "sum, 200,000",
    "training step, 64-128-64-10",
];

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let ours = vec![opswitch_side::side("wgpu"), opswitch_side::side("cube")];
    compare(&CASES, ours, vec![burn_side::side()], &filter);
}

/// The layers of the network, as inputs and outputs.
const LAYERS: [(usize, usize); 3] = [(64, 128), (128, 64), (64, 10)];
