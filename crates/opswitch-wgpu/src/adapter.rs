//! The adapters of this machine.

use std::sync::OnceLock;

use opswitch_core::{DeviceInfo, DeviceKind};

/// What a table of devices says of an adapter.
pub(crate) fn device_info(adapter: &wgpu::Adapter) -> DeviceInfo {
    let info = adapter.get_info();
    DeviceInfo::new(info.name, kind(info.device_type), info.backend.to_str())
}

/// The adapters that can compute, best first. They are looked up once. OpenGL is left out: it would list them once more, and
/// do less.
pub(crate) fn adapters() -> &'static [wgpu::Adapter] {
    static ADAPTERS: OnceLock<Vec<wgpu::Adapter>> = OnceLock::new();
    ADAPTERS.get_or_init(|| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        // The default of a debug build checks what wgpu has checked already, in layers that few machines have.
        descriptor.flags = wgpu::InstanceFlags::empty().with_env();
        let instance = wgpu::Instance::new(descriptor);
        let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let computes = wgpu::DownlevelFlags::COMPUTE_SHADERS;
        adapters.retain(|adapter| adapter.get_downlevel_capabilities().flags.contains(computes));
        adapters.sort_by_key(|adapter| kind(adapter.get_info().device_type));
        adapters
    })
}

/// Whether it has elements of type f16.
pub(crate) fn has_f16(adapter: &wgpu::Adapter) -> bool {
    adapter.features().contains(wgpu::Features::SHADER_F16)
}

fn kind(device_type: wgpu::DeviceType) -> DeviceKind {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => DeviceKind::DiscreteGpu,
        wgpu::DeviceType::IntegratedGpu => DeviceKind::IntegratedGpu,
        wgpu::DeviceType::VirtualGpu => DeviceKind::VirtualGpu,
        wgpu::DeviceType::Other => DeviceKind::Other,
        wgpu::DeviceType::Cpu => DeviceKind::Cpu,
    }
}

/// Whether it is a driver that computes on a CPU, in subgroups of 8.
pub(crate) fn has_narrow_subgroups(adapter: &wgpu::Adapter) -> bool {
    let info = adapter.get_info();
    let sizes = [info.subgroup_min_size, info.subgroup_max_size];
    kind(info.device_type) == DeviceKind::Cpu
        && adapter.features().contains(wgpu::Features::SUBGROUP)
        && sizes == [8, 8]
}
