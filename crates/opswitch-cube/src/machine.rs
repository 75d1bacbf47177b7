//! The devices of this machine, asked for once.

use std::{
    panic::catch_unwind,
    sync::{LazyLock, OnceLock},
};

use cubecl::{
    Device, RuntimeId,
    client::Client,
    device::{WgpuDevice, WgpuDeviceKind},
};
use opswitch_core::{DeviceError, DeviceInfo, DeviceKind};

use crate::device::CubeDevice;

/// A device, and its client once that is started.
struct Entry {
    device: Device,
    client: OnceLock<Result<Client, DeviceError>>,
}

static MACHINE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut devices = Device::enumerate_all();
    devices.sort_by_key(kind);
    devices.into_iter().map(|device| Entry { device, client: OnceLock::new() }).collect()
});

/// Every device of this machine, best first.
pub(crate) fn devices() -> Vec<CubeDevice> {
    (0..MACHINE.len() as u16).map(CubeDevice::new).collect()
}

/// The device that `text` names: number `index` among those of `runtime`, or among all.
pub(crate) fn find(text: &str, runtime: Option<&str>, index: u16) -> Result<CubeDevice, DeviceError> {
    if let Some(runtime) = runtime {
        check_runtime(text, runtime)?;
    }
    let of_runtime = |entry: &Entry| runtime.is_none_or(|name| name == runtime_name(&entry.device));
    let mut numbers = (0u16..).zip(MACHINE.iter()).filter(|(_, entry)| of_runtime(entry));
    match numbers.nth(usize::from(index)) {
        Some((number, _)) => Ok(CubeDevice::new(number)),
        None => Err(missing(text)),
    }
}

pub(crate) fn client(device: CubeDevice) -> Result<&'static Client, DeviceError> {
    let entry = entry(device)?;
    let client = entry.client.get_or_init(|| start(device, &entry.device));
    client.as_ref().map_err(DeviceError::clone)
}

pub(crate) fn info(device: CubeDevice) -> Result<DeviceInfo, DeviceError> {
    let name = client(device)?.properties().identity.name.clone();
    let entry = &entry(device)?.device;
    Ok(DeviceInfo::new(name, kind(entry), runtime_name(entry)))
}

fn entry(device: CubeDevice) -> Result<&'static Entry, DeviceError> {
    MACHINE.get(device.index()).ok_or_else(|| missing(&device.to_string()))
}

/// Starts a device.
///
/// CubeCL has no way to do so for every runtime but `Device::client`, which panics where a driver refuses.
fn start(device: CubeDevice, entry: &Device) -> Result<Client, DeviceError> {
    catch_unwind(|| entry.client()).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is given");
        DeviceError::new(device, format_args!("it cannot be started: {text}"))
    })
}

fn kind(device: &Device) -> DeviceKind {
    match device {
        Device::Wgpu(WgpuDevice { kind, .. }) => match kind {
            WgpuDeviceKind::DiscreteGpu(_) => DeviceKind::DiscreteGpu,
            WgpuDeviceKind::IntegratedGpu(_) => DeviceKind::IntegratedGpu,
            WgpuDeviceKind::VirtualGpu(_) => DeviceKind::VirtualGpu,
            WgpuDeviceKind::Cpu => DeviceKind::Cpu,
            _ => DeviceKind::Other,
        },
        Device::Cuda(_) | Device::Hip(_) => DeviceKind::DiscreteGpu,
        Device::Metal(_) => DeviceKind::IntegratedGpu,
        Device::Cpu(_) => DeviceKind::Cpu,
        _ => DeviceKind::Other,
    }
}

fn runtime_name(device: &Device) -> &'static str {
    match device.runtime() {
        RuntimeId::Cuda => "cuda",
        RuntimeId::Hip => "hip",
        RuntimeId::Metal => "metal",
        RuntimeId::Wgpu => "wgpu",
        RuntimeId::Cpu => "cpu",
    }
}

/// The runtimes that features of this crate bring, and whether they are compiled in.
const RUNTIMES: [(&str, bool); 3] =
    [("wgpu", cfg!(feature = "wgpu")), ("cuda", cfg!(feature = "cuda")), ("hip", cfg!(feature = "hip"))];

fn check_runtime(text: &str, runtime: &str) -> Result<(), DeviceError> {
    let reason = match RUNTIMES.iter().find(|(name, _)| *name == runtime) {
        Some((_, true)) => return Ok(()),
        Some((name, false)) => format!(
            "this program was built without its runtime; enable the feature `{name}` of the crate `opswitch-cube`"
        ),
        None => "there is no such runtime; write `wgpu`, `cuda` or `hip`".to_owned(),
    };
    Err(DeviceError::new(text, reason))
}

/// The error for a device that this machine does not have.
#[cold]
fn missing(text: &str) -> DeviceError {
    let there: Vec<String> = devices().iter().map(|device| format!("`{device}`")).collect();
    let reason = match there.as_slice() {
        [] => "this machine has no device for the runtimes compiled in; install its driver \
               (on Debian, `mesa-vulkan-drivers` brings one in software)"
            .to_owned(),
        there => format!("this machine has no such device; write one of {}", there.join(", ")),
    };
    DeviceError::new(text, reason)
}
