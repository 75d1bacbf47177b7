//! Kernels compiled for one device.

use std::{borrow::Cow, collections::HashMap, num::NonZeroU64, sync::Arc};

use crate::{
    batch::PARAMS_WINDOW,
    kernel::{Kernel, Values},
};

/// Which of a kernel's compiled forms a launch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProgramKey {
    /// The address of the kernel, which is a `static`.
    kernel: usize,
    /// The values of its placeholders, numbered by whoever launches it.
    variant: u64,
    rank: u32,
    bindings: BindingKinds,
}

impl ProgramKey {
    pub(crate) fn new(kernel: &'static Kernel, variant: u64, rank: u32, bindings: BindingKinds) -> Self {
        Self { kernel: std::ptr::from_ref(kernel) as usize, variant, rank, bindings }
    }
}

/// How many buffers a kernel has, which of them it writes, and whether parameters follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct BindingKinds {
    pub(crate) count: u32,
    pub(crate) written: u32,
    pub(crate) has_params: bool,
}

impl BindingKinds {
    pub(crate) fn push(&mut self, written: bool) {
        // A launch with more bindings than bits is refused before this matters.
        self.written |= u32::from(written).wrapping_shl(self.count);
        self.count += 1;
    }

    fn layout_entries(self) -> Vec<wgpu::BindGroupLayoutEntry> {
        let storage = (0..self.count).map(|binding| {
            let read_only = self.written & (1 << binding) == 0;
            (binding, wgpu::BufferBindingType::Storage { read_only }, false, None)
        });
        let params = self.has_params.then_some((
            self.count,
            wgpu::BufferBindingType::Uniform,
            true,
            NonZeroU64::new(PARAMS_WINDOW),
        ));
        let entry = |(binding, ty, has_dynamic_offset, min_binding_size)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size },
            count: None,
        };
        storage.chain(params).map(entry).collect()
    }
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

/// The compiled kernels of a device, and those that do not compile, with the reason.
#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    programs: HashMap<ProgramKey, Result<Program, Arc<str>>>,
    layouts: HashMap<BindingKinds, (wgpu::BindGroupLayout, wgpu::PipelineLayout)>,
}

impl Pipelines {
    /// The program of this key, compiled the first time.
    pub(crate) fn get(
        &mut self,
        device: &wgpu::Device,
        key: ProgramKey,
        kernel: &'static Kernel,
        values: &dyn Fn() -> Values,
    ) -> Result<Program, Arc<str>> {
        if let Some(program) = self.programs.get(&key) {
            return program.clone();
        }
        let program = self.compile(device, key.bindings, kernel, &values());
        self.programs.insert(key, program.clone());
        program
    }

    #[cold]
    fn compile(
        &mut self,
        device: &wgpu::Device,
        bindings: BindingKinds,
        kernel: &Kernel,
        values: &Values,
    ) -> Result<Program, Arc<str>> {
        let source = kernel.compose(values).map_err(|error| error.to_string())?;
        // An adapter may refuse what is valid otherwise with an internal error.
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let (layout, pipeline_layout) =
            self.layouts.entry(bindings).or_insert_with(|| create_layouts(device, bindings));
        let pipeline = create_pipeline(device, kernel, source, pipeline_layout);
        let errors = [validation.pop(), internal.pop()].map(pollster::block_on);
        match errors.into_iter().flatten().next() {
            None => Ok(Program { pipeline, layout: layout.clone() }),
            Some(error) => Err(format!("kernel `{}` does not compile: {error}", kernel.name()).into()),
        }
    }
}

fn create_layouts(
    device: &wgpu::Device,
    bindings: BindingKinds,
) -> (wgpu::BindGroupLayout, wgpu::PipelineLayout) {
    let entries = bindings.layout_entries();
    let layout =
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    (layout, pipeline_layout)
}

fn create_pipeline(
    device: &wgpu::Device,
    kernel: &Kernel,
    source: String,
    layout: &wgpu::PipelineLayout,
) -> wgpu::ComputePipeline {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(kernel.name()),
        source: wgpu::ShaderSource::Wgsl(Cow::Owned(source)),
    };
    let module = if kernel.is_trusted() {
        let checks = wgpu::ShaderRuntimeChecks::unchecked();
        // SAFETY: whoever made the kernel a trusted one has promised that it needs no checks.
        unsafe { device.create_shader_module_trusted(descriptor, checks) }
    } else {
        device.create_shader_module(descriptor)
    };
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(kernel.name()),
        layout: Some(layout),
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions {
            // Kernels of this crate write before they read.
            zero_initialize_workgroup_memory: !kernel.is_trusted(),
            ..wgpu::PipelineCompilationOptions::default()
        },
        cache: None,
    })
}
