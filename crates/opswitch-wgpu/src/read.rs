//! Reading tensors: one copy and one wait for each device.

use std::{future::poll_fn, sync::Arc, task::Poll};

use bytemuck::AnyBitPattern;
use opswitch_core::{
    DType, DataError, DeviceError, Element, Elements, Shape, TensorData, TensorHandle, half::f16,
};

use crate::{
    context::Context,
    mapping::Mapping,
    memory::PoolBuffer,
    tensor::{WgpuTensor, byte_offset, device_size},
};

/// Tensors on their way to the host. Everything is asked of every device before this exists.
pub(crate) struct Read {
    tensors: Result<Vec<Pending>, DeviceError>,
    copies: Vec<DeviceCopy>,
}

/// One tensor of a [`Read`]: where its bytes will be.
struct Pending {
    shape: Shape,
    dtype: DType,
    copy: usize,
    offset: u64,
}

/// What comes from one device, in one buffer that the host can see.
struct DeviceCopy {
    context: Arc<Context>,
    sources: Vec<WgpuTensor>,
    bytes: u64,
    staging: Option<PoolBuffer>,
    submission: Option<wgpu::SubmissionIndex>,
    mapping: Arc<Mapping>,
}

/// Asks for one tensor.
pub(crate) fn read_one(tensor: WgpuTensor) -> Read {
    read(vec![tensor])
}

/// Asks for all of the tensors.
pub(crate) fn read(tensors: Vec<WgpuTensor>) -> Read {
    let mut copies = Vec::new();
    let tensors = tensors.into_iter().map(|tensor| place(tensor, &mut copies)).collect();
    let mut read = Read { tensors, copies };
    if read.tensors.is_ok()
        && let Err(error) = read.copies.iter_mut().try_for_each(DeviceCopy::start)
    {
        read.tensors = Err(error);
    }
    read
}

/// Finds a place for a tensor in the copy from its device.
fn place(tensor: WgpuTensor, copies: &mut Vec<DeviceCopy>) -> Result<Pending, DeviceError> {
    let copies_whole_words = byte_offset(&tensor).is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let in_order = tensor.layout().is_contiguous() && copies_whole_words;
    let tensor = if in_order { tensor } else { tensor.contiguous("read") };
    if let Some(error) = tensor.failure() {
        return Err(error.clone());
    }
    let (shape, dtype) = (tensor.shape(), tensor.dtype());
    let Some(context) = tensor.context() else {
        return Ok(Pending { shape, dtype, copy: 0, offset: 0 });
    };
    let copy = copies.iter().position(|copy| Arc::ptr_eq(&copy.context, context)).unwrap_or_else(|| {
        copies.push(DeviceCopy::new(Arc::clone(context)));
        copies.len() - 1
    });
    let offset = copies[copy].push(tensor);
    Ok(Pending { shape, dtype, copy, offset })
}

impl Read {
    /// The tensors, in the order in which they were asked for, when they have arrived.
    pub(crate) async fn arrive(mut self) -> Result<Vec<TensorData>, DataError> {
        self.take_error()?;
        for copy in &self.copies {
            copy.arrive().await?;
        }
        self.collect()
    }

    /// As [`arrive`](Self::arrive), for the one tensor that was asked for.
    pub(crate) async fn arrive_one(self) -> Result<TensorData, DataError> {
        Ok(one(self.arrive().await?))
    }

    /// The one tensor that was asked for. Waits for it.
    pub(crate) fn wait_one(mut self) -> Result<TensorData, DataError> {
        self.take_error()?;
        for copy in &self.copies {
            copy.wait()?;
        }
        Ok(one(self.collect()?))
    }

    fn take_error(&mut self) -> Result<(), DataError> {
        match &self.tensors {
            Ok(_) => Ok(()),
            Err(error) => Err(error.clone().into()),
        }
    }

    fn collect(&self) -> Result<Vec<TensorData>, DataError> {
        let tensors = self.tensors.as_ref().map_err(DeviceError::clone)?;
        let views: Vec<wgpu::BufferView> =
            self.copies.iter().map(DeviceCopy::view).collect::<Result<_, _>>()?;
        tensors
            .iter()
            .map(|tensor| {
                let bytes = tensor.shape.num_elements() * device_size(tensor.dtype) as usize;
                let start = tensor.offset as usize;
                let bytes = views.get(tensor.copy).map_or(&[][..], |view| &view[start..start + bytes]);
                TensorData::from_elements(elements(bytes, tensor.dtype), tensor.shape.clone())
            })
            .collect()
    }
}

fn one(tensors: Vec<TensorData>) -> TensorData {
    tensors.into_iter().next().expect("one tensor was asked for")
}

impl DeviceCopy {
    fn new(context: Arc<Context>) -> Self {
        let (sources, mapping) = (Vec::new(), Arc::default());
        Self { context, sources, bytes: 0, staging: None, submission: None, mapping }
    }

    /// Makes room for a tensor: where it will be.
    fn push(&mut self, tensor: WgpuTensor) -> u64 {
        let offset = self.bytes;
        self.bytes += copied_bytes(&tensor);
        self.sources.push(tensor);
        offset
    }

    /// Records the copies, submits them, and asks for the buffer.
    fn start(&mut self) -> Result<(), DeviceError> {
        self.context.check()?;
        let staging = self.context.take_staging(self.bytes)?;
        let mut work = self.context.work();
        let mut offset = 0;
        for tensor in &self.sources {
            let bytes = copied_bytes(tensor);
            if let Some(allocation) = tensor.allocation() {
                let (from, to) = ((allocation.buffer(), byte_offset(tensor)), (&staging.buffer, offset));
                work.batch.copy(&self.context.device, from, to, bytes);
            }
            offset += bytes;
        }
        self.submission = Some(self.context.submit_work(&mut work));
        drop(work);
        // Their memory is not needed for this any more: the queue runs in order.
        self.sources.clear();
        let mapping = Arc::clone(&self.mapping);
        staging.buffer.map_async(wgpu::MapMode::Read, .., move |result| mapping.set(result.is_ok()));
        self.staging = Some(staging);
        Ok(())
    }

    async fn arrive(&self) -> Result<(), DeviceError> {
        let mut submission = self.submission.clone();
        let is_readable = poll_fn(|cx| {
            if let Some(is_readable) = self.mapping.poll(cx.waker()) {
                return Poll::Ready(is_readable);
            }
            if let Some(submission) = submission.take() {
                self.context.poll_for(submission, &self.mapping);
            }
            Poll::Pending
        });
        self.check(is_readable.await)
    }

    fn wait(&self) -> Result<(), DeviceError> {
        let submission = self.submission.clone();
        self.check(
            submission.is_some_and(|submission| self.context.wait_for_mapping(submission, &self.mapping)),
        )
    }

    fn check(&self, is_readable: bool) -> Result<(), DeviceError> {
        self.context.check()?;
        if is_readable { Ok(()) } else { Err(self.context.error("its memory cannot be read")) }
    }

    fn view(&self) -> Result<wgpu::BufferView, DeviceError> {
        let staging = self.staging.as_ref().expect("a copy has a buffer when it has started");
        staging.buffer.get_mapped_range(..).map_err(|error| self.context.error(error))
    }
}

impl Drop for DeviceCopy {
    fn drop(&mut self) {
        let Some(staging) = self.staging.take() else { return };
        staging.buffer.unmap();
        self.context.give_staging(staging);
    }
}

/// The bytes of a tensor in a copy, which are whole words.
fn copied_bytes(tensor: &WgpuTensor) -> u64 {
    let bytes = tensor.layout().num_elements() as u64 * device_size(tensor.element_type());
    bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT)
}

fn elements(bytes: &[u8], dtype: DType) -> Elements {
    match dtype {
        DType::F32 => typed::<f32>(bytes),
        DType::F16 => typed::<f16>(bytes),
        DType::I32 => typed::<i32>(bytes),
        DType::U32 => typed::<u32>(bytes),
        DType::Bool => Elements::new(
            bytemuck::pod_collect_to_vec::<u8, u32>(bytes).into_iter().map(|word| word != 0).collect(),
        ),
        _ => unreachable!("no tensor of another type exists"),
    }
}

fn typed<E: Element + AnyBitPattern>(bytes: &[u8]) -> Elements {
    Elements::new(bytemuck::pod_collect_to_vec::<u8, E>(bytes))
}
