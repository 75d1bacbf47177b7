//! The tensor handle.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use opswitch_core::{
    DType, DataError, DeviceError, OpError, Shape, TensorData, TensorHandle,
    layout::{Layout, StridedTensor},
    raise,
};

use crate::{context::Context, copy, device::WgpuDevice, memory::Allocation, read};

/// A tensor in a device's memory: a strided view of a buffer, which clones share.
///
/// One type serves floats, integers and booleans; a boolean is a `u32` of 0 or 1. An op that fails on the device gives a
/// tensor that carries the error, and so does every op on it; reading it gives the error.
#[derive(Clone)]
pub struct WgpuTensor {
    storage: Arc<Storage>,
    layout: Arc<Layout>,
}

/// Memory, or why there is none. A storage without elements has none either.
struct Storage {
    device: WgpuDevice,
    dtype: DType,
    allocation: Option<Allocation>,
    failure: OnceLock<Box<DeviceError>>,
}

impl WgpuTensor {
    /// A tensor for the result of `op`, on the device of its input `self`, in row-major order. A kernel writes all of it.
    ///
    /// If `self` carries an error, so does the result; it carries one too if there is no memory for it.
    ///
    /// # Panics
    ///
    /// If the device has no elements of this type.
    #[track_caller]
    pub fn new_output(&self, op: &'static str, shape: impl Into<Shape>, dtype: DType) -> Self {
        let layout = Arc::new(Layout::contiguous(shape.into()));
        self.new_output_like(op, layout, dtype)
    }

    /// As [`new_output`](Self::new_output), with the elements where `layout` says; it is dense and starts at 0.
    #[track_caller]
    pub(crate) fn new_output_like(&self, op: &'static str, layout: Arc<Layout>, dtype: DType) -> Self {
        if let Some(error) = self.failure() {
            return Self::failed(self.storage.device, layout, dtype, error.clone());
        }
        match self.context() {
            Some(context) => Self::allocate(op, context, layout, dtype),
            None => Self::new(op, self.storage.device, layout.shape().clone(), dtype),
        }
    }

    /// A tensor for the result of `op` that has no input.
    #[track_caller]
    pub(crate) fn new(op: &'static str, device: WgpuDevice, shape: Shape, dtype: DType) -> Self {
        let layout = Arc::new(Layout::contiguous(shape));
        match Context::of(device) {
            Ok(context) => Self::allocate(op, &context, layout, dtype),
            Err(error) => {
                check_supported(op, device, dtype, true);
                Self::failed(device, layout, dtype, error.at_op(op))
            }
        }
    }

    #[track_caller]
    fn allocate(op: &'static str, context: &Arc<Context>, layout: Arc<Layout>, dtype: DType) -> Self {
        check_supported(op, context.id(), dtype, context.has_f16());
        let bytes = layout.num_elements() as u64 * device_size(dtype);
        if bytes == 0 {
            return Self::stored(context.id(), layout, dtype, None);
        }
        match context.allocate(bytes) {
            Ok(allocation) => Self::stored(context.id(), layout, dtype, Some(allocation)),
            Err(error) => Self::failed(context.id(), layout, dtype, error.at_op(op)),
        }
    }

    /// A tensor with the data's shape, element type and elements.
    ///
    /// # Errors
    ///
    /// If the device has no elements of the data's type, or fails.
    pub fn from_data(data: &TensorData, device: WgpuDevice) -> Result<Self, DataError> {
        let dtype = data.dtype();
        let context = Context::of(device)?;
        if !is_supported(dtype, context.has_f16()) {
            let device = device.to_string();
            return Err(DataError::UnsupportedOnDevice { device, dtype, elsewhere: ELSEWHERE });
        }
        let layout = Arc::new(Layout::contiguous(data.shape().clone()));
        if layout.num_elements() == 0 {
            return Ok(Self::stored(device, layout, dtype, None));
        }
        let allocation = match data.elements().as_slice::<bool>() {
            Some(values) => {
                let words: Vec<u32> = values.iter().map(|&value| u32::from(value)).collect();
                context.upload(bytemuck::cast_slice(&words))
            }
            None => context.upload(data.as_bytes()),
        };
        Ok(Self::stored(device, layout, dtype, Some(allocation?)))
    }

    /// Shape and elements in row-major order. Waits for the device.
    ///
    /// # Errors
    ///
    /// If the device fails, or has failed in an op on which this tensor depends.
    pub fn into_data(self) -> Result<TensorData, DataError> {
        read::read_one(self).wait_one()
    }

    /// The error that this tensor carries: why it, or something that it was computed from, has no elements.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.storage.failure.get().map(|error| &**error)
    }

    /// This tensor in row-major order without gaps, from the start of its buffer: itself if it is already, else a copy.
    pub fn contiguous(self, op: &'static str) -> Self {
        if self.layout.is_contiguous() && self.layout.offset() == 0 {
            self
        } else {
            copy::contiguous(op, &self)
        }
    }

    // Beside the trait's, so that kernels need not import it.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn element_type(&self) -> DType {
        self.storage.dtype
    }

    /// The memory, unless there are no elements, or an error.
    pub(crate) fn allocation(&self) -> Option<&Allocation> {
        self.storage.allocation.as_ref()
    }

    /// The open device, if there are elements on it.
    pub(crate) fn context(&self) -> Option<&Arc<Context>> {
        self.allocation().map(Allocation::context)
    }

    /// Whether both are views of the same memory.
    pub(crate) fn shares_memory(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
    }

    /// Whether no other handle shares the memory, so that a kernel may overwrite it.
    pub(crate) fn is_unique(&mut self) -> bool {
        Arc::get_mut(&mut self.storage).is_some()
    }

    /// Lets this tensor, and all views of it, carry an error.
    #[cold]
    pub(crate) fn fail(&self, error: DeviceError) {
        // The first error is the cause of what follows.
        let _ = self.storage.failure.set(Box::new(error));
    }

    pub(crate) fn failed(device: WgpuDevice, layout: Arc<Layout>, dtype: DType, error: DeviceError) -> Self {
        let tensor = Self::stored(device, layout, dtype, None);
        tensor.fail(error);
        tensor
    }

    fn stored(device: WgpuDevice, layout: Arc<Layout>, dtype: DType, allocation: Option<Allocation>) -> Self {
        let storage = Storage { device, dtype, allocation, failure: OnceLock::new() };
        Self { storage: Arc::new(storage), layout }
    }
}

/// A device that has every element type.
const ELSEWHERE: &str = "cpu";

pub(crate) fn is_supported(dtype: DType, has_f16: bool) -> bool {
    match dtype {
        DType::F32 | DType::I32 | DType::U32 | DType::Bool => true,
        DType::F16 => has_f16,
        _ => false,
    }
}

#[track_caller]
fn check_supported(op: &'static str, device: WgpuDevice, dtype: DType, has_f16: bool) {
    if !is_supported(dtype, has_f16) {
        raise(&OpError::Unsupported { op, device: device.to_string(), dtype, elsewhere: ELSEWHERE });
    }
}

/// The bytes of one element on a device.
pub(crate) fn device_size(dtype: DType) -> u64 {
    if dtype == DType::Bool { 4 } else { dtype.size() as u64 }
}

/// The first byte of a tensor in its buffer.
pub(crate) fn byte_offset(tensor: &WgpuTensor) -> u64 {
    tensor.layout.offset() as u64 * device_size(tensor.storage.dtype)
}

impl TensorHandle for WgpuTensor {
    type Device = WgpuDevice;

    #[inline]
    fn shape(&self) -> Shape {
        self.layout.shape().clone()
    }

    #[inline]
    fn dtype(&self) -> DType {
        self.storage.dtype
    }

    #[inline]
    fn device(&self) -> WgpuDevice {
        self.storage.device
    }
}

impl StridedTensor for WgpuTensor {
    #[inline]
    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn with_layout(self, layout: Layout) -> Self {
        Self { storage: self.storage, layout: Arc::new(layout) }
    }

    fn into_contiguous(self, op: &'static str) -> Self {
        self.contiguous(op)
    }
}

impl fmt::Debug for WgpuTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WgpuTensor")
            .field("device", &self.storage.device)
            .field("dtype", &self.storage.dtype)
            .field("shape", self.layout.shape())
            .field("strides", &self.layout.strides())
            .field("offset", &self.layout.offset())
            .field("failure", &self.failure())
            .finish()
    }
}
