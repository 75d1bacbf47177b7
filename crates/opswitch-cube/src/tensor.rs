//! The tensor handle.

use std::{fmt, sync::Arc};

use cubecl::{
    bytes::Bytes,
    client::Client,
    prelude::{BufferArg, TensorBinding},
    server::{Handle, ServerError},
};
use opswitch_core::{
    DType, DeviceError, Shape, TensorHandle,
    layout::{Layout, StridedTensor},
};

use crate::{copy, device::CubeDevice, element, failure};

/// Buffers end at a multiple of this many bytes, so that the last vector that a kernel reads or writes is a whole one.
const ALIGNMENT: usize = 16;

/// The most elements a tensor can have: positions in kernels have 32 bits, and their division by extents needs one.
const MAX_ELEMENTS: usize = i32::MAX as usize;

/// Buffers of this many bytes are asked for at once whether there was memory for them, so that the op that wanted one is
/// named. A kernel over as many hides what asking costs.
const ASKED_SIZE: usize = 64 << 20;

/// A tensor on a device: a strided view of a buffer, which clones share.
///
/// One type serves floats, integers and booleans; a boolean is a `u32`, 0 or 1, in kernels. A tensor whose op failed carries
/// the failure: everything computed from it fails too, and reading it gives the error.
#[derive(Clone)]
pub struct CubeTensor {
    storage: Arc<Storage>,
    layout: Arc<Layout>,
}

struct Storage {
    memory: Memory,
    dtype: DType,
    device: CubeDevice,
    op: &'static str,
}

enum Memory {
    Buffer {
        handle: Handle,
        client: &'static Client,
    },
    /// There are no elements, and no buffer.
    Nothing,
    Failed(DeviceError),
}

impl CubeTensor {
    /// A new tensor of this shape and element type, filled by `kernel`.
    ///
    /// `kernel` gets the client to launch on, and the tensor. It is called only if there is something to do: not for a tensor
    /// without elements, and not if an input, the device or the allocation has failed, all of which the new tensor then
    /// carries. An op of your own is written like this:
    ///
    /// ```
    /// use opswitch_core::{Backend, FloatTensor, TensorData, TensorHandle};
    /// use opswitch_cube::{Cube, CubeTensor, cubecl, grid};
    /// use cubecl::prelude::*;
    ///
    /// #[cube(launch)]
    /// fn double_kernel<F: Float>(x: &[F], y: &mut [F]) {
    ///     if ABSOLUTE_POS < y.len() {
    ///         y[ABSOLUTE_POS] = x[ABSOLUTE_POS] + x[ABSOLUTE_POS];
    ///     }
    /// }
    ///
    /// fn double(x: FloatTensor<Cube>) -> FloatTensor<Cube> {
    ///     let x = x.contiguous();
    ///     CubeTensor::compute("double", [&x], x.shape(), x.dtype(), x.device(), |client, y| {
    ///         let (count, dim) = grid(client, y.shape().num_elements());
    ///         double_kernel::launch::<f32>(client, count, dim, x.buffer(), y.buffer());
    ///     })
    /// }
    ///
    /// # fn main() -> Result<(), opswitch_core::DataError> {
    /// # let Some(device) = Cube::devices().first().copied() else { return Ok(()) };
    /// let x = Cube::float_from_data(TensorData::new(vec![1.0f32, 2.0], [2])?, &device)?;
    /// assert_eq!(Cube::float_into_data_blocking(double(x))?.as_slice::<f32>()?, [2.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// At the caller's line if the device has no elements of this type.
    #[track_caller]
    pub fn compute<const N: usize>(
        op: &'static str,
        inputs: [&Self; N],
        shape: Shape,
        dtype: DType,
        device: CubeDevice,
        kernel: impl FnOnce(&'static Client, &Self),
    ) -> Self {
        Self::compute_placed(op, inputs, Arc::new(Layout::contiguous(shape)), dtype, device, kernel)
    }

    /// As [`compute`](Self::compute), for a layout without gaps that starts at 0.
    #[track_caller]
    pub(crate) fn compute_placed<const N: usize>(
        op: &'static str,
        inputs: [&Self; N],
        layout: Arc<Layout>,
        dtype: DType,
        device: CubeDevice,
        kernel: impl FnOnce(&'static Client, &Self),
    ) -> Self {
        let output = Self::empty_placed(op, &inputs, layout, dtype, device);
        if let Some(client) = output.client() {
            kernel(client, &output);
        }
        output
    }

    /// A new tensor that nothing has been written to, or the failure of one of the inputs it is to be computed from.
    ///
    /// For kernels with several outputs; where [`client`](Self::client) has one, there is a buffer to write to.
    ///
    /// # Panics
    ///
    /// At the caller's line if the device has no elements of this type.
    #[track_caller]
    pub fn empty(op: &'static str, inputs: &[&Self], shape: Shape, dtype: DType, device: CubeDevice) -> Self {
        Self::empty_placed(op, inputs, Arc::new(Layout::contiguous(shape)), dtype, device)
    }

    #[track_caller]
    fn empty_placed(
        op: &'static str,
        inputs: &[&Self],
        layout: Arc<Layout>,
        dtype: DType,
        device: CubeDevice,
    ) -> Self {
        element::check(op, dtype, device);
        debug_assert!(layout.is_dense() && layout.offset() == 0);
        let memory = match inputs.iter().find_map(|input| input.failure()) {
            Some(error) => Memory::Failed(error.clone()),
            None => Memory::allocate(op, layout.num_elements(), element::size(dtype), device),
        };
        Self { storage: Arc::new(Storage { memory, dtype, device, op }), layout }
    }

    /// This tensor with the failure that kept it from being computed.
    #[cold]
    pub(crate) fn into_failed(self, reason: impl fmt::Display) -> Self {
        let Storage { dtype, device, op, .. } = *self.storage;
        let error = DeviceError::new(device, reason).at_op(op);
        Self::new(Memory::Failed(error), op, self.layout.shape().clone(), dtype, device)
    }

    /// A tensor with these elements, which are of `dtype` as it lies on the device.
    pub(crate) fn from_elements<E: bytemuck::Pod + Send + Sync>(
        mut elements: Vec<E>,
        shape: Shape,
        dtype: DType,
        device: CubeDevice,
    ) -> Result<Self, DeviceError> {
        if elements.is_empty() {
            return Ok(Self::new(Memory::Nothing, CREATE, shape, dtype, device));
        }
        let client = device.client()?;
        check_size(device, client, elements.len(), size_of::<E>())?;
        elements.resize(elements.len().next_multiple_of(ALIGNMENT / size_of::<E>()), E::zeroed());
        let handle = client.create(Bytes::from_elems(elements));
        Ok(Self::new(Memory::Buffer { handle, client }, CREATE, shape, dtype, device))
    }

    fn new(memory: Memory, op: &'static str, shape: Shape, dtype: DType, device: CubeDevice) -> Self {
        let storage = Storage { memory, dtype, device, op };
        Self { storage: Arc::new(storage), layout: Arc::new(Layout::contiguous(shape)) }
    }

    /// The client of the tensor's device, if the tensor has elements and has not failed.
    pub fn client(&self) -> Option<&'static Client> {
        match &self.storage.memory {
            Memory::Buffer { client, .. } => Some(client),
            Memory::Nothing | Memory::Failed(_) => None,
        }
    }

    /// Why there is no such tensor, if its op has failed in a way that is known without asking the device.
    pub fn failure(&self) -> Option<&DeviceError> {
        match &self.storage.memory {
            Memory::Failed(error) => Some(error),
            Memory::Buffer { .. } | Memory::Nothing => None,
        }
    }

    /// This tensor in row-major order without gaps, where a kernel can bind it: itself if it is already, else a copy.
    pub fn contiguous(self) -> Self {
        self.into_contiguous("contiguous")
    }

    /// This tensor, or a copy in row-major order if its elements do not lie next to each other, where a kernel can bind them.
    pub(crate) fn without_gaps(self, op: &'static str) -> Self {
        if self.layout.is_dense() && self.is_aligned() { self } else { copy::copied(op, &self) }
    }

    /// The distance, in elements, between neighbours in each dimension: 0 where a dimension was expanded, negative where it
    /// was flipped.
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// The elements in row-major order, as an argument of a kernel.
    ///
    /// # Panics
    ///
    /// If the tensor is not [`contiguous`](Self::contiguous), or has no [`client`](Self::client).
    pub fn buffer(&self) -> BufferArg {
        assert!(
            self.layout.is_contiguous(),
            "a buffer is bound as it lies; make the tensor `contiguous` first"
        );
        self.lanes(1)
    }

    /// The elements in the order in which they lie, for a tensor [without gaps](Self::without_gaps), with a length that is a
    /// multiple of `width`: what lies behind the end is read as garbage, and written to no harm.
    pub(crate) fn lanes(&self, width: usize) -> BufferArg {
        let start = self.layout.offset() * element::size(self.storage.dtype);
        assert!(
            self.layout.is_dense() && self.is_aligned(),
            "this view cannot be bound as it lies; copy it first"
        );
        let length = self.layout.num_elements().next_multiple_of(width);
        // SAFETY: the layout lies inside the buffer, which ends at a multiple of the longest vector.
        unsafe { BufferArg::from_raw_parts(self.handle().clone().offset_start(start as u64), length) }
    }

    /// The whole buffer behind this view, as an argument of a kernel that walks it by strides.
    pub(crate) fn whole(&self) -> BufferArg {
        let handle = self.handle().clone();
        let length = handle.size_in_used() as usize / element::size(self.storage.dtype);
        // SAFETY: this is the length of the buffer.
        unsafe { BufferArg::from_raw_parts(handle, length) }
    }

    /// This view, as an argument of a kernel of a library that takes strides, none of which is negative here.
    ///
    /// # Panics
    ///
    /// If the tensor does not start [where a buffer can](Self::is_aligned), or has no [`client`](Self::client).
    pub(crate) fn strided(&self) -> TensorBinding {
        assert!(self.is_aligned(), "a view is bound where it starts; copy it first");
        let start = self.layout.offset() * element::size(self.storage.dtype);
        let handle = self.handle().clone().offset_start(start as u64);
        let strides = self.layout.strides().iter().map(|&stride| stride as usize).collect();
        // SAFETY: every element of the layout lies inside the buffer.
        unsafe {
            TensorBinding::from_raw_parts(handle, strides, self.layout.shape().iter().copied().collect())
        }
    }

    /// The bytes of a contiguous tensor.
    pub(crate) fn bytes(&self) -> Handle {
        let size = element::size(self.storage.dtype);
        let start = (self.layout.offset() * size) as u64;
        let len = (self.layout.num_elements() * size) as u64;
        let handle = self.handle().clone();
        let rest = handle.size_in_used() - start - len;
        handle.offset_start(start).offset_end(rest)
    }

    /// The error of this tensor's op, or of one before it.
    pub(crate) fn op_error(&self, error: &ServerError) -> DeviceError {
        failure::op_error(self.storage.device, self.storage.op, error)
    }

    // Beside the traits', so that kernels need not import them.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn element_type(&self) -> DType {
        self.storage.dtype
    }

    pub(crate) fn on(&self) -> CubeDevice {
        self.storage.device
    }

    fn handle(&self) -> &Handle {
        match &self.storage.memory {
            Memory::Buffer { handle, .. } => handle,
            Memory::Nothing | Memory::Failed(_) => panic!("only a tensor with a client has a buffer"),
        }
    }

    /// Whether the elements lie in row-major order, and start where the device can bind a buffer.
    fn is_bindable(&self) -> bool {
        self.layout.is_contiguous() && self.is_aligned()
    }

    /// Whether the elements start where the device can bind a buffer.
    pub(crate) fn is_aligned(&self) -> bool {
        let start = self.layout.offset() * element::size(self.storage.dtype);
        let aligned = |client: &Client| (start as u64).is_multiple_of(client.properties().memory.alignment);
        start == 0 || self.client().is_none_or(aligned)
    }
}

/// The op of tensors that are made from data.
const CREATE: &str = "from_data";

impl Memory {
    fn allocate(op: &'static str, len: usize, element: usize, device: CubeDevice) -> Self {
        if len == 0 {
            return Self::Nothing;
        }
        let client = match device.client() {
            Ok(client) => client,
            Err(error) => return Self::Failed(error.at_op(op)),
        };
        if let Err(error) = check_size(device, client, len, element) {
            return Self::Failed(error.at_op(op));
        }
        let size = (len * element).next_multiple_of(ALIGNMENT);
        let handle = client.empty(size);
        if size >= ASKED_SIZE
            && let Err(error) = client.check([&handle])
        {
            return Self::Failed(failure::op_error(device, op, &error));
        }
        Self::Buffer { handle, client }
    }
}

/// Checks that a device can hold that many elements in one buffer, and a kernel can address them.
fn check_size(device: CubeDevice, client: &Client, len: usize, element: usize) -> Result<(), DeviceError> {
    let most = usize::try_from(client.properties().memory.max_page_size).unwrap_or(usize::MAX);
    if len <= MAX_ELEMENTS.min(most / element) {
        return Ok(());
    }
    let reason = format!(
        "a tensor of {len} elements of {element} bytes is too large: a buffer of this device holds {most} bytes at most, \
         and a tensor {MAX_ELEMENTS} elements; use smaller tensors"
    );
    Err(DeviceError::new(device, reason))
}

impl TensorHandle for CubeTensor {
    type Device = CubeDevice;

    #[inline]
    fn shape(&self) -> Shape {
        self.layout.shape().clone()
    }

    #[inline]
    fn dtype(&self) -> DType {
        self.storage.dtype
    }

    #[inline]
    fn device(&self) -> CubeDevice {
        self.storage.device
    }
}

impl StridedTensor for CubeTensor {
    #[inline]
    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn with_layout(self, layout: Layout) -> Self {
        Self { storage: self.storage, layout: Arc::new(layout) }
    }

    fn into_contiguous(self, op: &'static str) -> Self {
        if self.is_bindable() { self } else { copy::copied(op, &self) }
    }
}

impl fmt::Debug for CubeTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("CubeTensor");
        text.field("shape", self.layout.shape())
            .field("dtype", &self.storage.dtype)
            .field("device", &format_args!("{}", self.storage.device));
        if let Some(error) = self.failure() {
            text.field("failed", &format_args!("{error}"));
        }
        text.finish()
    }
}
