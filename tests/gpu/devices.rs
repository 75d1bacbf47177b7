//! Prints the devices that the tests on GPUs run on, and which backends they skip. Without a harness, so that it is seen.

use opswitch::{DeviceTable, Dispatch};
use opswitch_tests_gpu::gpu;

fn main() {
    print!("{}", DeviceTable::of::<Dispatch>());
    for backend in ["wgpu", "cube"] {
        gpu(backend);
    }
}
