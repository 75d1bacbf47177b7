//! Ops and a training step on opswitch's GPU backends, beside burn's wgpu backend on the same adapter.
//!
//! Every case is measured in turn on each side, many times over, so that whatever else the machine does falls on all of
//! them. What counts are the ratios of the medians; below 1 opswitch is faster.

mod burn_side;
mod opswitch_side;

use std::time::{Duration, Instant};

/// What is measured.
const CASES: [&str; 6] = [
    "add, 1,000,000",
    "exp, 1,000,000",
    "matmul, 512x512",
    "softmax, 512x1024",
    "sum, 1,000,000",
    "training step, 64-128-64-10",
];

/// Samples of each case, after the ones that compile and tune kernels.
const SAMPLES: usize = 40;
const WARM_UP: usize = 5;

/// What a side does for a case, up to the end of the work on the device.
type Run = Box<dyn FnMut()>;

fn main() {
    let sides: [(&str, [Run; CASES.len()]); 3] = [
        ("wgpu", opswitch_side::cases("wgpu")),
        ("cube", opswitch_side::cases("cube")),
        ("burn", burn_side::cases()),
    ];
    let (names, sides): (Vec<_>, Vec<_>) = sides.into_iter().unzip();
    let mut sides: Vec<_> = sides.into_iter().map(IntoIterator::into_iter).collect();
    println!("{:<28} {:>10} {:>10} {:>10}   wgpu/burn  cube/burn", "milliseconds, median", names[0], names[1], names[2]);
    for case in CASES {
        let mut runs: Vec<Run> = sides.iter_mut().map(|side| side.next().expect("a run for each case")).collect();
        let [wgpu, cube, burn] = medians(&mut runs).try_into().expect("three sides");
        println!("{case:<28} {wgpu:>10.3} {cube:>10.3} {burn:>10.3} {:>11.2} {:>10.2}", wgpu / burn, cube / burn);
    }
}

/// The median time of each run in milliseconds, one sample of each in turn.
fn medians(runs: &mut [Run]) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(SAMPLES); runs.len()];
    for sample in 0..WARM_UP + SAMPLES {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run();
            if sample >= WARM_UP {
                times.push(start.elapsed());
            }
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// Numbers between -1 and 1 that both sides start from, different for each seed.
fn numbers(len: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        // Marsaglia 2003, xorshift with the triple 13, 17, 5.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// The layers of the network, as inputs and outputs.
const LAYERS: [(usize, usize); 3] = [(64, 128), (128, 64), (64, 10)];
const BATCH: usize = 64;
const CLASSES: usize = 10;
const RATE: f64 = 0.01;
