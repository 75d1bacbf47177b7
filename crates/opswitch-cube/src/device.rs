//! Devices: how they are written, and what is known of them.

use std::{fmt, str::FromStr};

use cubecl::{MemoryScope, client::Client};
use opswitch_core::DeviceError;

use crate::{failure, machine};

/// A device of [`Cube`](crate::Cube): one of those that this machine has for the runtimes compiled in, best first.
///
/// Written `cube:0`, `cube:1` and so on; `cube` alone is the first. A runtime may be named too: `cube:wgpu:0` is the first
/// device of wgpu, `cube:cuda` the first of CUDA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CubeDevice {
    index: u16,
}

/// The memory that CubeCL's pools hold on a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// The buffers in use.
    pub buffers: u64,
    /// What they take.
    pub in_use: u64,
    /// What the pools have taken from the device, for these and for later ones.
    pub reserved: u64,
}

impl CubeDevice {
    /// The device with this number, whether there is one or not.
    pub(crate) fn new(index: u16) -> Self {
        Self { index }
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.index)
    }

    /// CubeCL's client of this device, started on first use: what kernels are launched on.
    ///
    /// # Errors
    ///
    /// If this machine has no such device, or it cannot be started.
    pub fn client(self) -> Result<&'static Client, DeviceError> {
        machine::client(self)
    }

    /// How much memory is in use.
    ///
    /// # Errors
    ///
    /// If this machine has no such device, or it cannot be started.
    pub fn memory(self) -> Result<MemoryUse, DeviceError> {
        let usage = self.client()?.memory_report(MemoryScope::Device).usage();
        Ok(MemoryUse {
            buffers: usage.number_allocs,
            in_use: usage.bytes_in_use,
            reserved: usage.bytes_reserved,
        })
    }

    /// Gives memory that no tensor uses back to the device.
    ///
    /// # Errors
    ///
    /// If this machine has no such device, or it has failed.
    pub fn release_memory(self) -> Result<(), DeviceError> {
        self.client()?.memory_cleanup().map_err(|error| failure::device_error(self, &error))
    }
}

impl fmt::Display for CubeDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("cube:{}", self.index))
    }
}

impl FromStr for CubeDevice {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        let mut parts = text.split(':');
        if parts.next() != Some("cube") {
            return Err(DeviceError::new(text, MISSPELT));
        }
        let rest: Vec<&str> = parts.collect();
        let number = |text: &str| text.parse::<u16>().ok();
        match *rest {
            [] => machine::find(text, None, 0),
            [name] => match number(name) {
                Some(index) => machine::find(text, None, index),
                None => machine::find(text, Some(name), 0),
            },
            [runtime, index] => match number(index) {
                Some(index) => machine::find(text, Some(runtime), index),
                None => Err(DeviceError::new(text, MISSPELT)),
            },
            _ => Err(DeviceError::new(text, MISSPELT)),
        }
    }
}

const MISSPELT: &str = "write `cube`, `cube:0`, or `cube:wgpu:0` with the name of a runtime";
