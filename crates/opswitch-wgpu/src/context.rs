//! An open device: its memory, its queue, its kernels, and whether it still works.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock,
    atomic::{AtomicU64, Ordering},
};

use opswitch_core::DeviceError;

use crate::{
    adapter::{adapters, has_f16, has_narrow_subgroups},
    batch::Batch,
    device::WgpuDevice,
    mapping::{Mapping, Poller, wait_for_mapping},
    memory::{Allocation, MemoryUsage, Pool, PoolBuffer},
    pipeline::Pipelines,
};

/// The devices that are open, each once.
static OPEN: RwLock<Vec<Arc<Context>>> = RwLock::new(Vec::new());

/// Bytes after which uploads are submitted: until then the driver keeps them a second time.
const MAX_UPLOADED: u64 = 64 << 20;

/// What a device needs to run kernels. Tensors hold it, so that no op looks it up.
#[derive(Debug)]
pub(crate) struct Context {
    id: WgpuDevice,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    has_f16: bool,
    has_narrow_subgroups: bool,
    largest_tensor: u64,
    offset_alignment: u64,
    /// Why the device can no longer be used.
    lost: Arc<OnceLock<String>>,
    tensors: Mutex<Pool>,
    staging: Mutex<Pool>,
    work: Mutex<Work>,
    /// The number of the open batch.
    batch: AtomicU64,
    /// The bytes that were written to buffers since the last submission.
    uploaded: AtomicU64,
    poller: OnceLock<Poller>,
    /// What is bound for a tensor without elements.
    no_elements: wgpu::Buffer,
}

/// What launching a kernel changes.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) batch: Batch,
    pub(crate) pipelines: Pipelines,
}

impl Context {
    /// The open device, or a new one if there was none, or the last one was lost.
    pub(crate) fn of(id: WgpuDevice) -> Result<Arc<Self>, DeviceError> {
        if let Some(context) = Self::last(id).filter(|context| !context.is_lost()) {
            return Ok(context);
        }
        let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have opened it meanwhile.
        if let Some(context) = open.iter().find(|context| context.id == id && !context.is_lost()) {
            return Ok(Arc::clone(context));
        }
        open.retain(|context| context.id != id);
        let context = Arc::new(Self::open(id)?);
        open.push(Arc::clone(&context));
        Ok(context)
    }

    /// The device as it was opened last, lost or not.
    pub(crate) fn last(id: WgpuDevice) -> Option<Arc<Self>> {
        let open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
        open.iter().find(|context| context.id == id).cloned()
    }

    fn open(id: WgpuDevice) -> Result<Self, DeviceError> {
        let adapter = find_adapter(id)?;
        let (features, limits) = (adapter.features(), adapter.limits());
        let descriptor = wgpu::DeviceDescriptor {
            required_features: features & (wgpu::Features::SHADER_F16 | wgpu::Features::SUBGROUP),
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| DeviceError::new(id, format!("the adapter gives no device: {error}")))?;
        let lost = watch(&device);
        // Kernels take vectors of 16 bytes, the last of which may reach into the padding.
        let largest_tensor = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) & !15;
        let tensors =
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let staging = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let work = Work { batch: Batch::new(&device, &limits), pipelines: Pipelines::default() };
        Ok(Self {
            id,
            has_f16: has_f16(adapter),
            has_narrow_subgroups: has_narrow_subgroups(adapter),
            largest_tensor,
            offset_alignment: u64::from(limits.min_storage_buffer_offset_alignment),
            lost,
            tensors: Mutex::new(Pool::new(tensors, largest_tensor)),
            staging: Mutex::new(Pool::new(staging, limits.max_buffer_size)),
            work: Mutex::new(work),
            batch: AtomicU64::new(1),
            uploaded: AtomicU64::new(0),
            poller: OnceLock::new(),
            no_elements: device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            }),
            device,
            queue,
        })
    }

    pub(crate) fn id(&self) -> WgpuDevice {
        self.id
    }

    pub(crate) fn has_f16(&self) -> bool {
        self.has_f16
    }

    /// Whether it is a driver that computes on a CPU, in subgroups of 8.
    pub(crate) fn has_narrow_subgroups(&self) -> bool {
        self.has_narrow_subgroups
    }

    /// What the offset of a binding is a multiple of, in bytes.
    pub(crate) fn offset_alignment(&self) -> u64 {
        self.offset_alignment
    }

    pub(crate) fn no_elements(&self) -> &wgpu::Buffer {
        &self.no_elements
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Fails if the device can no longer be used.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        match self.lost.get() {
            None => Ok(()),
            Some(reason) => Err(self.error(format!("it can no longer be used: {reason}"))),
        }
    }

    #[cold]
    pub(crate) fn error(&self, reason: impl std::fmt::Display) -> DeviceError {
        DeviceError::new(self.id, reason)
    }

    /// Memory for a tensor of `bytes`.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: u64) -> Result<Allocation, DeviceError> {
        self.check()?;
        if bytes > self.largest_tensor {
            let limit = self.largest_tensor;
            return Err(
                self.error(format!("a tensor of {bytes} bytes is above the limit of {limit} bytes a tensor"))
            );
        }
        let buffer = self.take(bytes).ok_or_else(|| self.out_of_memory(bytes))?;
        Ok(Allocation::new(Arc::clone(self), buffer))
    }

    /// A buffer, if need be after all that is kept was given up.
    fn take(&self, bytes: u64) -> Option<PoolBuffer> {
        let taken = lock(&self.tensors).take(&self.device, bytes);
        taken.or_else(|| {
            // The driver frees a buffer when everything that was recorded with it is done.
            self.trim();
            wait(&self.device, self.submit());
            lock(&self.tensors).take(&self.device, bytes)
        })
    }

    #[cold]
    fn out_of_memory(&self, bytes: u64) -> DeviceError {
        self.error(format!("out of memory for a tensor of {bytes} bytes"))
    }

    /// Memory for a tensor, with these bytes in it.
    pub(crate) fn upload(self: &Arc<Self>, bytes: &[u8]) -> Result<Allocation, DeviceError> {
        let allocation = self.allocate(bytes.len() as u64)?;
        // A write comes before the open batch, in which the buffer may still be read as another tensor.
        if allocation.freed_in() == self.batch.load(Ordering::Acquire) {
            self.submit();
        }
        self.write(allocation.buffer(), bytes);
        if self.uploaded.fetch_add(bytes.len() as u64, Ordering::Relaxed) > MAX_UPLOADED {
            self.submit();
        }
        Ok(allocation)
    }

    /// Writes bytes to the start of a buffer, in whole words.
    fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) {
        const WORD: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;
        let (whole, rest) = bytes.split_at(bytes.len() - bytes.len() % WORD);
        if !whole.is_empty() {
            self.queue.write_buffer(buffer, 0, whole);
        }
        if !rest.is_empty() {
            let mut last = [0; WORD];
            last[..rest.len()].copy_from_slice(rest);
            self.queue.write_buffer(buffer, whole.len() as u64, &last);
        }
    }

    /// Takes back the memory of a tensor.
    pub(crate) fn release(&self, mut buffer: PoolBuffer) {
        buffer.freed_in = self.batch.load(Ordering::Acquire);
        lock(&self.tensors).give(buffer);
    }

    pub(crate) fn take_staging(&self, bytes: u64) -> Result<PoolBuffer, DeviceError> {
        let taken = lock(&self.staging).take(&self.device, bytes);
        taken.ok_or_else(|| self.error(format!("out of memory for reading {bytes} bytes")))
    }

    pub(crate) fn give_staging(&self, buffer: PoolBuffer) {
        lock(&self.staging).give(buffer);
    }

    pub(crate) fn work(&self) -> MutexGuard<'_, Work> {
        lock(&self.work)
    }

    /// Gives everything recorded so far to the device.
    pub(crate) fn submit(&self) -> wgpu::SubmissionIndex {
        self.submit_work(&mut self.work())
    }

    pub(crate) fn submit_work(&self, work: &mut Work) -> wgpu::SubmissionIndex {
        let index = work.batch.submit(&self.device, &self.queue);
        self.batch.fetch_add(1, Ordering::AcqRel);
        self.uploaded.store(0, Ordering::Relaxed);
        index
    }

    /// Waits until the device has done a submission, and fails if it no longer works.
    pub(crate) fn wait_for(&self, index: wgpu::SubmissionIndex) -> Result<(), DeviceError> {
        wait(&self.device, index);
        self.check()
    }

    /// Waits for a submission, and until it is known whether the buffer that it fills can be read.
    pub(crate) fn wait_for_mapping(&self, submission: wgpu::SubmissionIndex, mapping: &Mapping) -> bool {
        wait_for_mapping(&self.device, &self.lost, submission, mapping)
    }

    /// Has another thread wait for a mapping.
    pub(crate) fn poll_for(&self, submission: wgpu::SubmissionIndex, mapping: &Arc<Mapping>) {
        let poller = self.poller.get_or_init(|| Poller::new(self.device.clone(), Arc::clone(&self.lost)));
        poller.wait_for(submission, Arc::clone(mapping));
    }

    pub(crate) fn memory_usage(&self) -> MemoryUsage {
        let (tensors, staging) = (lock(&self.tensors).usage(), lock(&self.staging).usage());
        MemoryUsage {
            bytes_in_use: tensors.bytes_in_use + staging.bytes_in_use,
            bytes_reserved: tensors.bytes_reserved + staging.bytes_reserved,
            buffers: tensors.buffers + staging.buffers,
        }
    }

    pub(crate) fn set_memory_limit(&self, bytes: u64) {
        lock(&self.tensors).set_limit(bytes);
    }

    pub(crate) fn trim(&self) {
        lock(&self.tensors).trim(0);
        lock(&self.staging).trim(0);
    }

    /// Makes the device fail, as pulling out the hardware would.
    pub(crate) fn lose(&self) {
        self.device.destroy();
        // The loss is reported when the queue is empty, to whoever polls.
        let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
    }
}

/// Waits for a submission. A failed device is reported by its callback, so that the result says nothing more.
pub(crate) fn wait(device: &wgpu::Device, index: wgpu::SubmissionIndex) {
    let _ = device.poll(wgpu::PollType::Wait { submission_index: Some(index), timeout: None });
}

pub(crate) fn find_adapter(id: WgpuDevice) -> Result<&'static wgpu::Adapter, DeviceError> {
    let adapters = adapters();
    adapters.get(id.index()).ok_or_else(|| {
        let reason = match adapters.len() {
            0 => "this machine has no adapter for Vulkan, Metal or DirectX 12; install a driver".to_owned(),
            1 => "this machine has one adapter; write `wgpu`".to_owned(),
            count => format!("this machine has {count} adapters; write `wgpu:0` to `wgpu:{}`", count - 1),
        };
        DeviceError::new(id, reason)
    })
}

/// Notes why the device fails, when it does.
fn watch(device: &wgpu::Device) -> Arc<OnceLock<String>> {
    let lost = Arc::new(OnceLock::new());
    let on_loss = Arc::clone(&lost);
    device.set_device_lost_callback(move |reason, message| {
        let _ = on_loss.set(format!("the device was lost ({reason:?}) {message}").trim_end().to_owned());
    });
    // What no scope catches befell a whole batch: which of its tensors are right is not known.
    let on_error = Arc::clone(&lost);
    device.on_uncaptured_error(Arc::new(move |error| {
        let _ = on_error.set(error.to_string());
    }));
    lost
}

/// Locks. A thread that panicked inside left nothing half done that the next one minds.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
