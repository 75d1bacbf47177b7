//! What tests on GPUs share.

use opswitch::{DispatchDevice, DispatchDeviceHandle};

/// The first device of a GPU backend. One without a device is said to be skipped, and fails where `OPSWITCH_REQUIRE_GPU` is
/// set.
///
/// # Panics
///
/// If a device is required and there is none.
pub fn gpu(backend: &str) -> Option<DispatchDevice> {
    let found = DispatchDevice::enumerate().into_iter().find(|device| device.backend_name() == backend);
    if found.is_none() {
        println!("skipped: {backend} has no device here; on Debian: apt-get install mesa-vulkan-drivers");
        assert!(std::env::var_os("OPSWITCH_REQUIRE_GPU").is_none(), "{backend} has no device here");
    }
    found
}

/// The text of the panic in `call`.
///
/// # Panics
///
/// If there is none.
pub fn panic_text<T>(call: impl FnOnce() -> T) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).err().expect("it panics");
    panic.downcast_ref::<String>().cloned().expect("a text")
}
