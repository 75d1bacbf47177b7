//! Whether the tests that need a GPU can run.

use std::env;

use crate::run::{Failure, output};

/// Set, a machine without a GPU fails the tests.
const REQUIRED: &str = "OPSWITCH_REQUIRE_GPU";

/// Whether every GPU backend has a device here. If not, that is said, and it is a failure where GPUs are required.
pub(crate) fn is_there() -> Result<bool, Failure> {
    let table =
        ["run", "--quiet", "--package", "opswitch", "--features", "wgpu,cube", "--example", "devices"];
    let devices = output(&table)?;
    print!("{devices}");
    let missing: Vec<&str> = ["wgpu", "cube"]
        .into_iter()
        .filter(|backend| !devices.lines().any(|line| line.starts_with(backend)))
        .collect();
    if missing.is_empty() {
        return Ok(true);
    }
    let text = format!(
        "skipped: the tests on GPUs, since {} has no device here; Mesa's software Vulkan is enough (on Debian: apt-get install \
         mesa-vulkan-drivers)",
        missing.join(" and ")
    );
    if env::var_os(REQUIRED).is_some() {
        return Err(Failure::Found(text));
    }
    println!("{text}");
    Ok(false)
}
