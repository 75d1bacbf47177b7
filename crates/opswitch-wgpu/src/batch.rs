//! Launches gathered into one submission.

use std::{collections::VecDeque, mem::size_of};

use crate::context::wait;

/// Launches after which a batch is submitted: the device starts while the next batch is recorded.
const MAX_LAUNCHES: usize = 64;

/// Submissions that the device may be behind.
const MAX_IN_FLIGHT: usize = 16;

/// The bytes of parameters that a kernel can see.
pub(crate) const PARAMS_WINDOW: u64 = 1024;

/// The bytes of parameters in a batch.
const ARENA: u64 = 64 << 10;

/// The commands that were recorded and not yet submitted, and the parameters of its launches.
#[derive(Debug)]
pub(crate) struct Batch {
    recording: Option<Recording>,
    launches: usize,
    /// The parameters of all launches of the batch, each at a multiple of the alignment.
    params: Vec<u32>,
    arena: wgpu::Buffer,
    alignment: usize,
    in_flight: VecDeque<wgpu::SubmissionIndex>,
}

/// The pass stands before its encoder, since it must end first.
#[derive(Debug)]
struct Recording {
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: wgpu::CommandEncoder,
}

/// One launch, checked and ready to be recorded.
pub(crate) struct Command<'a> {
    pub(crate) pipeline: &'a wgpu::ComputePipeline,
    pub(crate) bindings: wgpu::BindGroup,
    pub(crate) params_offset: Option<u32>,
    pub(crate) groups: [u32; 3],
}

impl Batch {
    pub(crate) fn new(device: &wgpu::Device, limits: &wgpu::Limits) -> Self {
        let arena = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: ARENA + PARAMS_WINDOW,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let alignment = limits.min_uniform_buffer_offset_alignment.max(16) as usize;
        Self {
            recording: None,
            launches: 0,
            params: Vec::new(),
            arena,
            alignment,
            in_flight: VecDeque::new(),
        }
    }

    /// The buffer that holds the parameters of all launches.
    pub(crate) fn arena(&self) -> &wgpu::Buffer {
        &self.arena
    }

    /// Whether a launch with this many words of parameters still fits.
    pub(crate) fn has_room(&self, params: usize) -> bool {
        self.launches < MAX_LAUNCHES
            && (self.params.len() + params) * size_of::<u32>() + self.alignment <= ARENA as usize
    }

    /// Keeps parameters until the batch is submitted: their place in the arena.
    pub(crate) fn push_params(&mut self, params: &[u32]) -> u32 {
        let start = self.params.len().next_multiple_of(self.alignment / size_of::<u32>());
        self.params.resize(start, 0);
        self.params.extend_from_slice(params);
        (start * size_of::<u32>()) as u32
    }

    pub(crate) fn record(&mut self, device: &wgpu::Device, command: &Command<'_>) {
        let recording = self.recording.get_or_insert_with(|| Recording::new(device));
        let pass = recording.pass.get_or_insert_with(|| {
            recording.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime()
        });
        pass.set_pipeline(command.pipeline);
        pass.set_bind_group(0, &command.bindings, command.params_offset.as_slice());
        let [x, y, z] = command.groups;
        pass.dispatch_workgroups(x, y, z);
        self.launches += 1;
    }

    /// Records a copy of whole words between buffers.
    pub(crate) fn copy(
        &mut self,
        device: &wgpu::Device,
        (from, from_offset): (&wgpu::Buffer, u64),
        (to, to_offset): (&wgpu::Buffer, u64),
        bytes: u64,
    ) {
        let recording = self.recording.get_or_insert_with(|| Recording::new(device));
        recording.pass = None;
        recording.encoder.copy_buffer_to_buffer(from, from_offset, to, to_offset, bytes);
        self.launches += 1;
    }

    /// Submits what was recorded, after the device has caught up with all but the last submissions.
    pub(crate) fn submit(&mut self, device: &wgpu::Device, queue: &wgpu::Queue) -> wgpu::SubmissionIndex {
        if !self.params.is_empty() {
            queue.write_buffer(&self.arena, 0, bytemuck::cast_slice(&self.params));
            self.params.clear();
        }
        let commands = self.recording.take().map(Recording::finish);
        let index = queue.submit(commands);
        self.launches = 0;
        self.in_flight.push_back(index.clone());
        if self.in_flight.len() > MAX_IN_FLIGHT
            && let Some(oldest) = self.in_flight.pop_front()
        {
            wait(device, oldest);
        }
        index
    }
}

impl Recording {
    fn new(device: &wgpu::Device) -> Self {
        Self {
            pass: None,
            encoder: device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()),
        }
    }

    fn finish(self) -> wgpu::CommandBuffer {
        drop(self.pass);
        self.encoder.finish()
    }
}
