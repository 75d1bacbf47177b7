//! The adapters of this machine.

use std::{fmt, sync::OnceLock};

/// What an adapter is: a row of a device table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The name that the driver gives, such as `NVIDIA GeForce RTX 4090`.
    pub name: String,
    /// What kind of processor it is.
    pub kind: AdapterKind,
    /// The graphics API through which it is reached, such as `vulkan`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// Whether it has elements of type f16.
    pub has_f16: bool,
}

/// The kind of processor that an adapter is. Better ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    DiscreteGpu,
    /// A GPU that shares the processor's memory.
    IntegratedGpu,
    /// A GPU of a virtual machine.
    VirtualGpu,
    /// An adapter that does not say what it is.
    Other,
    /// A driver that computes on the CPU.
    Cpu,
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::DiscreteGpu => "discrete GPU",
            Self::IntegratedGpu => "integrated GPU",
            Self::VirtualGpu => "virtual GPU",
            Self::Other => "other",
            Self::Cpu => "CPU",
        })
    }
}

impl AdapterInfo {
    pub(crate) fn new(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let driver = format!("{} {}", info.driver, info.driver_info);
        Self {
            kind: kind(info.device_type),
            backend: info.backend.to_str().to_owned(),
            driver: driver.trim().to_owned(),
            has_f16: adapter.features().contains(wgpu::Features::SHADER_F16),
            name: info.name,
        }
    }
}

/// The adapters that can compute, best first. They are looked up once.
pub(crate) fn adapters() -> &'static [wgpu::Adapter] {
    static ADAPTERS: OnceLock<Vec<wgpu::Adapter>> = OnceLock::new();
    ADAPTERS.get_or_init(|| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        // The default of a debug build checks what wgpu has checked already, in layers that few machines have.
        descriptor.flags = wgpu::InstanceFlags::empty().with_env();
        let instance = wgpu::Instance::new(descriptor);
        let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let computes = wgpu::DownlevelFlags::COMPUTE_SHADERS;
        adapters.retain(|adapter| adapter.get_downlevel_capabilities().flags.contains(computes));
        adapters.sort_by_key(|adapter| kind(adapter.get_info().device_type));
        adapters
    })
}

fn kind(device_type: wgpu::DeviceType) -> AdapterKind {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => AdapterKind::DiscreteGpu,
        wgpu::DeviceType::IntegratedGpu => AdapterKind::IntegratedGpu,
        wgpu::DeviceType::VirtualGpu => AdapterKind::VirtualGpu,
        wgpu::DeviceType::Other => AdapterKind::Other,
        wgpu::DeviceType::Cpu => AdapterKind::Cpu,
    }
}

/// Whether it is a driver that computes on a CPU, in subgroups of 8.
pub(crate) fn has_narrow_subgroups(adapter: &wgpu::Adapter) -> bool {
    let info = adapter.get_info();
    let sizes = [info.subgroup_min_size, info.subgroup_max_size];
    kind(info.device_type) == AdapterKind::Cpu
        && adapter.features().contains(wgpu::Features::SUBGROUP)
        && sizes == [8, 8]
}
