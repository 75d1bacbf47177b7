//! The backend type and its devices.

use std::{fmt, future::Future, str::FromStr};

use opswitch_core::{
    AnyTensor, Backend, DType, DataError, DeviceError, DeviceInfo, Packed, PackedReads, PlainBackend,
    TensorData, TensorHandle, backend_extension, ops::CollectiveOps,
};

use crate::{
    adapter::{adapters, device_info, has_f16},
    context::Context,
    memory::MemoryUsage,
    read,
    tensor::{WgpuTensor, is_supported},
};

/// The wgpu backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wgpu;

/// An adapter of this machine, counted from the best: discrete GPUs, then integrated ones, virtual ones, and the CPU.
/// Written `wgpu` or `wgpu:0`, `wgpu:1` and so on.
///
/// ```
/// use opswitch_wgpu::WgpuDevice;
///
/// assert_eq!("wgpu".parse(), Ok(WgpuDevice::default()));
/// assert_eq!("wgpu:1".parse(), Ok(WgpuDevice::new(1)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WgpuDevice {
    index: u16,
}

impl WgpuDevice {
    /// The adapter with this number. Whether there is one is asked when it is used.
    pub const fn new(index: u16) -> Self {
        Self { index }
    }

    /// The number of the adapter.
    pub const fn index(self) -> usize {
        self.index as usize
    }
}

impl fmt::Display for WgpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}:{}", Wgpu::NAME, self.index))
    }
}

impl FromStr for WgpuDevice {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        let number = match text.strip_prefix(Wgpu::NAME) {
            Some("") => Some("0"),
            Some(rest) => rest.strip_prefix(':'),
            None => None,
        };
        let index = number.and_then(|number| number.parse().ok());
        index.map(Self::new).ok_or_else(|| {
            DeviceError::new(
                text,
                "not a device of this backend; write `wgpu`, or `wgpu:1` for the second adapter",
            )
        })
    }
}

impl Wgpu {
    /// The memory that tensors on this device hold, and what is kept for the next ones.
    ///
    /// # Errors
    ///
    /// If the device does not exist, or gives no access.
    pub fn memory_usage(device: &WgpuDevice) -> Result<MemoryUsage, DeviceError> {
        Ok(Context::of(*device)?.memory_usage())
    }

    /// Refuses tensors that would bring the memory reserved for them above `bytes`, as if the device had no more.
    ///
    /// # Errors
    ///
    /// If the device does not exist, or gives no access.
    pub fn set_memory_limit(device: &WgpuDevice, bytes: u64) -> Result<(), DeviceError> {
        Context::of(*device)?.set_memory_limit(bytes);
        Ok(())
    }

    /// Gives the memory that no tensor holds back to the driver.
    ///
    /// # Errors
    ///
    /// If the device does not exist, or gives no access.
    pub fn trim_memory(device: &WgpuDevice) -> Result<(), DeviceError> {
        Context::of(*device)?.trim();
        Ok(())
    }

    /// Makes the device fail, for tests of what happens then. The next use of the device opens it anew.
    #[doc(hidden)]
    pub fn lose_device(device: &WgpuDevice) -> Result<(), DeviceError> {
        Context::of(*device)?.lose();
        Ok(())
    }
}

impl Backend for Wgpu {
    const NAME: &'static str = "wgpu";

    type Device = WgpuDevice;
    type FloatTensor = WgpuTensor;
    type IntTensor = WgpuTensor;
    type BoolTensor = WgpuTensor;
    type QuantizedTensor = Packed<Self>;

    fn devices() -> Vec<WgpuDevice> {
        (0..).zip(adapters()).map(|(index, _)| WgpuDevice::new(index)).collect()
    }

    fn device_info(device: &WgpuDevice) -> DeviceInfo {
        adapters().get(device.index()).map(device_info).unwrap_or_default()
    }

    fn supports(dtype: DType, device: &WgpuDevice) -> bool {
        is_supported(dtype, adapters().get(device.index()).is_some_and(has_f16))
    }

    fn int_dtype(_: &WgpuDevice) -> DType {
        DType::I32
    }

    fn sync(device: &WgpuDevice) -> Result<(), DeviceError> {
        // A lost device is reported here, and not opened anew.
        let context = Context::last(*device).map_or_else(|| Context::of(*device), Ok)?;
        let index = context.submit();
        context.wait_for(index)
    }

    fn float_from_data(data: TensorData, device: &WgpuDevice) -> Result<WgpuTensor, DataError> {
        accept(&data, *device, "float", DType::is_float)
    }

    fn int_from_data(data: TensorData, device: &WgpuDevice) -> Result<WgpuTensor, DataError> {
        accept(&data, *device, "int", DType::is_int)
    }

    fn bool_from_data(data: TensorData, device: &WgpuDevice) -> Result<WgpuTensor, DataError> {
        accept(&data, *device, "bool", |dtype| dtype == DType::Bool)
    }

    // What is asked of a device is asked before the future is polled: several of them then wait at the same time.
    fn float_into_data(tensor: WgpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        read::read_one(tensor).arrive_one()
    }

    fn int_into_data(tensor: WgpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        read::read_one(tensor).arrive_one()
    }

    fn bool_into_data(tensor: WgpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        read::read_one(tensor).arrive_one()
    }

    fn read_many(
        tensors: Vec<AnyTensor<Self>>,
    ) -> impl Future<Output = Result<Vec<TensorData>, DataError>> + Send {
        let (tensors, reads) = PackedReads::take_apart(tensors);
        let tensors = tensors.into_iter().map(|tensor| match tensor {
            AnyTensor::Float(tensor) | AnyTensor::Int(tensor) | AnyTensor::Bool(tensor) => tensor,
            AnyTensor::Quantized(_) => unreachable!("quantized tensors have been taken apart"),
        });
        let data = read::read(tensors.collect()).arrive();
        async move { Ok(reads.put_together(data.await?)) }
    }

    fn float_into_data_blocking(tensor: WgpuTensor) -> Result<TensorData, DataError> {
        tensor.into_data()
    }

    fn int_into_data_blocking(tensor: WgpuTensor) -> Result<TensorData, DataError> {
        tensor.into_data()
    }

    fn bool_into_data_blocking(tensor: WgpuTensor) -> Result<TensorData, DataError> {
        tensor.into_data()
    }

    fn float_to_device(tensor: WgpuTensor, device: &WgpuDevice) -> Result<WgpuTensor, DataError> {
        to_device(tensor, *device)
    }

    fn int_to_device(tensor: WgpuTensor, device: &WgpuDevice) -> Result<WgpuTensor, DataError> {
        to_device(tensor, *device)
    }

    fn bool_to_device(tensor: WgpuTensor, device: &WgpuDevice) -> Result<WgpuTensor, DataError> {
        to_device(tensor, *device)
    }

    fn quantized_from_data(data: TensorData, device: &WgpuDevice) -> Result<Packed<Self>, DataError> {
        Packed::from_data(data, device)
    }

    fn quantized_into_data(
        tensor: Packed<Self>,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        tensor.into_data()
    }

    fn quantized_to_device(tensor: Packed<Self>, device: &WgpuDevice) -> Result<Packed<Self>, DataError> {
        tensor.to_device(device)
    }
}

impl PlainBackend for Wgpu {}

#[backend_extension]
impl CollectiveOps for Wgpu {}

fn accept(
    data: &TensorData,
    device: WgpuDevice,
    kind: &'static str,
    accepts: fn(DType) -> bool,
) -> Result<WgpuTensor, DataError> {
    if accepts(data.dtype()) {
        return WgpuTensor::from_data(data, device);
    }
    Err(DataError::Unsupported { backend: Wgpu::NAME, kind, dtype: data.dtype() })
}

/// Through the host: adapters do not see each other's memory.
fn to_device(tensor: WgpuTensor, device: WgpuDevice) -> Result<WgpuTensor, DataError> {
    if tensor.device() == device {
        return Ok(tensor);
    }
    WgpuTensor::from_data(&tensor.into_data()?, device)
}
