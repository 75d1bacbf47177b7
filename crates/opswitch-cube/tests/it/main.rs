//! The CubeCL backend on a real device: Mesa's software Vulkan at least.

mod compare;
mod elementwise;
mod index;
mod matmul;
mod random;
mod reduce;
mod runtime;

use opswitch_core::Backend;
use opswitch_cube::{Cube, CubeDevice};

/// The device that tests run on. Without one a test is skipped, unless `OPSWITCH_REQUIRE_GPU` is set.
fn device() -> Option<CubeDevice> {
    let device = Cube::devices().first().copied();
    if device.is_none() {
        let text = "no Vulkan adapter; on Debian: apt-get install mesa-vulkan-drivers";
        assert!(std::env::var_os("OPSWITCH_REQUIRE_GPU").is_none(), "{text}");
        println!("skipped: {text}");
    }
    device
}
