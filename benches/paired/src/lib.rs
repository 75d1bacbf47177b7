//! Times the same work on several sides, one sample of each in turn, so that whatever else the machine does falls on all
//! of them. What a side left in caches, allocators and sleeping threads is not the next one's: each runs once untimed before
//! each sample, and their order is turned around for every other sample. What counts are the ratios of the medians.

use std::time::{Duration, Instant};

/// Samples of each case, after the ones that compile and tune kernels.
const SAMPLES: usize = 40;
const WARM_UP: usize = 5;
/// A sample repeats work that is shorter.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(4);

/// What a side does for a case, up to the end of the work on the device.
pub type Run = Box<dyn FnMut()>;

/// A library, or one of its backends.
pub struct Side {
    /// What it is called in the table.
    pub name: &'static str,
    /// One for each case.
    pub runs: Vec<Run>,
}

/// Prints the median time of each case on each side, and the ratio of each of `ours` to the fastest of `others`. Only
/// cases whose name contains `filter` are measured.
///
/// # Panics
///
/// If a side has not a run for each case.
pub fn compare(cases: &[&str], ours: Vec<Side>, others: Vec<Side>, filter: &str) {
    let names: Vec<&str> = ours.iter().chain(&others).map(|side| side.name).collect();
    let ratios: Vec<String> = ours.iter().map(|side| format!("{} / best", side.name)).collect();
    println!("{}", row("milliseconds, median", &names, &ratios));
    let counted = ours.len();
    let mut sides: Vec<_> = ours.into_iter().chain(others).map(|side| side.runs.into_iter()).collect();
    for case in cases {
        let mut runs: Vec<Run> =
            sides.iter_mut().map(|side| side.next().expect("every side has a run for each case")).collect();
        if !case.contains(filter) {
            continue;
        }
        let medians = medians(&mut runs);
        let best = medians[counted..].iter().copied().fold(f64::INFINITY, f64::min);
        let times: Vec<String> = medians.iter().map(|median| format!("{median:.3}")).collect();
        let ratios: Vec<String> =
            medians[..counted].iter().map(|median| format!("{:.2}", median / best)).collect();
        println!("{}", row(case, &times, &ratios));
    }
}

fn row(case: &str, times: &[impl AsRef<str>], ratios: &[String]) -> String {
    let times = times.iter().map(|time| format!(" {:>11}", time.as_ref()));
    let ratios = ratios.iter().map(|ratio| format!(" {ratio:>16}"));
    format!("{case:<34}{}", times.chain(ratios).collect::<String>())
}

/// The median time of each run in milliseconds, one sample of each in turn.
fn medians(runs: &mut [Run]) -> Vec<f64> {
    let mut repeats = vec![1; runs.len()];
    let mut times = vec![Vec::with_capacity(SAMPLES); runs.len()];
    for sample in 0..WARM_UP + SAMPLES {
        for at in 0..runs.len() {
            let side = if sample % 2 == 0 { at } else { runs.len() - 1 - at };
            let (run, times, repeats) = (&mut runs[side], &mut times[side], &mut repeats[side]);
            run();
            let start = Instant::now();
            for _ in 0..*repeats {
                run();
            }
            let time = start.elapsed() / *repeats;
            if sample >= WARM_UP {
                times.push(time);
            } else {
                *repeats = (SHORTEST_SAMPLE.as_nanos() / time.as_nanos().max(1)).clamp(1, 10_000) as u32;
            }
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// Numbers between -1 and 1 that all sides start from, different for each seed.
pub fn numbers(len: usize, seed: u32) -> Vec<f32> {
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

/// Images that networks see at a time.
pub const BATCH: usize = 64;
/// What they tell apart.
pub const CLASSES: usize = 10;
/// The learning rate.
pub const RATE: f64 = 0.01;
