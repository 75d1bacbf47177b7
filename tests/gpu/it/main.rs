//! Moves and reads between the CPU and GPUs, and what is longer than a driver lets a loop be.

mod long;
mod moves;
mod reads;

use opswitch::DispatchDevice;
use opswitch_tests_gpu::gpu;

/// The CPU and the first device of each GPU backend that has one.
fn devices() -> Vec<DispatchDevice> {
    let mut found = vec![device("cpu")];
    found.extend(["wgpu", "cube"].into_iter().filter_map(gpu));
    found
}

fn device(text: &str) -> DispatchDevice {
    text.parse().expect("a device of the dispatch")
}
