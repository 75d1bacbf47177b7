//! What a generated test does: finds its devices, checks, and reports.

use opswitch_core::{Device, DispatchDeviceHandle};

use crate::conformance::{Aspect, Conformance, TestedDispatch};

/// The variable that turns a backend without a device from a skip into a failure.
const REQUIRE_VARIABLE: &str = "OPSWITCH_REQUIRE_GPU";

/// Where a test stands, so that its failure can say how to run it alone.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// `CARGO_PKG_NAME`
    pub package: &'static str,
    /// `CARGO_CRATE_NAME`
    pub krate: &'static str,
    /// `CARGO_BIN_NAME`, in a program.
    pub program: Option<&'static str>,
    /// Whether this is the crate of an integration test.
    pub integration: bool,
    /// `module_path!()`
    pub module: &'static str,
    /// The name of the function: the backend's in the dispatch's list.
    pub function: &'static str,
}

impl Site {
    /// The command that runs this test and no other.
    pub fn command(&self) -> String {
        let target = match self.program {
            _ if self.integration => format!("--test {}", self.krate),
            Some(program) => format!("--bin {program}"),
            None => "--lib".to_owned(),
        };
        let module = self.module.split_once("::").map_or("", |(_, module)| module);
        format!("cargo test -p {} {target} {module}::{} -- --exact", self.package, self.function)
    }
}

/// Checks one aspect of an op on every device of one backend.
///
/// # Panics
///
/// If a check fails, or the backend has no device and `OPSWITCH_REQUIRE_GPU` is set.
#[doc(hidden)]
pub fn run<D: TestedDispatch>(op: &Conformance<D>, aspect: Aspect, backend: &'static str, site: Site) {
    let devices: Vec<Device<D>> =
        D::devices().into_iter().filter(|device| device.backend_name() == backend).collect();
    if devices.is_empty() {
        skip(backend);
        return;
    }
    for device in devices {
        if let Err(failures) = op.check(aspect, &device) {
            panic!("{failures}\n  rerun:   {}", site.command());
        }
    }
}

fn skip(backend: &str) {
    let help = match backend {
        "wgpu" | "cube" => "; on Debian: apt-get install mesa-vulkan-drivers",
        _ => "",
    };
    let text = format!("{backend} has no device here{help}");
    assert!(
        std::env::var_os(REQUIRE_VARIABLE).is_none(),
        "{text}; {REQUIRE_VARIABLE} is set, which forbids to skip it"
    );
    println!("skipped: {text}");
}
