//! The backend type and its one device.

use std::{fmt, str::FromStr};

use opswitch_core::{
    Backend, DType, DataError, DeviceError, DeviceInfo, DeviceKind, Packed, PlainBackend, Shape, TensorData,
    TensorHandle, backend_extension, ops::CollectiveOps,
};

use crate::tensor::CpuTensor;

/// The CPU backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cpu;

/// The CPU, the one device of [`Cpu`]. Written `cpu`, or `cpu:0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuDevice;

impl fmt::Display for CpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Cpu::NAME)
    }
}

impl FromStr for CpuDevice {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        match text {
            "cpu" | "cpu:0" => Ok(Self),
            _ => Err(DeviceError::new(text, "this backend has one device; write `cpu` or `cpu:0`")),
        }
    }
}

impl TensorHandle for CpuTensor {
    type Device = CpuDevice;

    #[inline]
    fn shape(&self) -> Shape {
        self.layout().shape().clone()
    }

    #[inline]
    fn dtype(&self) -> DType {
        self.element_type()
    }

    #[inline]
    fn device(&self) -> CpuDevice {
        CpuDevice
    }
}

impl Backend for Cpu {
    const NAME: &'static str = "cpu";

    type Device = CpuDevice;
    type FloatTensor = CpuTensor;
    type IntTensor = CpuTensor;
    type BoolTensor = CpuTensor;
    type QuantizedTensor = Packed<Self>;

    fn devices() -> Vec<CpuDevice> {
        vec![CpuDevice]
    }

    fn device_info(_: &CpuDevice) -> DeviceInfo {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        DeviceInfo::new(format!("{}, {threads} threads", std::env::consts::ARCH), DeviceKind::Cpu, "-")
    }

    fn sync(_: &CpuDevice) -> Result<(), DeviceError> {
        Ok(())
    }

    fn float_from_data(data: TensorData, _: &CpuDevice) -> Result<CpuTensor, DataError> {
        accept(data, "float", DType::is_float)
    }

    fn int_from_data(data: TensorData, _: &CpuDevice) -> Result<CpuTensor, DataError> {
        accept(data, "int", DType::is_int)
    }

    fn bool_from_data(data: TensorData, _: &CpuDevice) -> Result<CpuTensor, DataError> {
        accept(data, "bool", |dtype| dtype == DType::Bool)
    }

    async fn float_into_data(tensor: CpuTensor) -> Result<TensorData, DataError> {
        tensor.into_data()
    }

    async fn int_into_data(tensor: CpuTensor) -> Result<TensorData, DataError> {
        tensor.into_data()
    }

    async fn bool_into_data(tensor: CpuTensor) -> Result<TensorData, DataError> {
        tensor.into_data()
    }

    fn float_to_device(tensor: CpuTensor, _: &CpuDevice) -> Result<CpuTensor, DataError> {
        Ok(tensor)
    }

    fn int_to_device(tensor: CpuTensor, _: &CpuDevice) -> Result<CpuTensor, DataError> {
        Ok(tensor)
    }

    fn bool_to_device(tensor: CpuTensor, _: &CpuDevice) -> Result<CpuTensor, DataError> {
        Ok(tensor)
    }

    fn quantized_from_data(data: TensorData, device: &CpuDevice) -> Result<Packed<Self>, DataError> {
        Packed::from_data(data, device)
    }

    fn quantized_into_data(
        tensor: Packed<Self>,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        tensor.into_data()
    }

    fn quantized_to_device(tensor: Packed<Self>, device: &CpuDevice) -> Result<Packed<Self>, DataError> {
        tensor.to_device(device)
    }
}

impl PlainBackend for Cpu {}

#[backend_extension]
impl CollectiveOps for Cpu {}

fn accept(data: TensorData, kind: &'static str, accepts: fn(DType) -> bool) -> Result<CpuTensor, DataError> {
    if accepts(data.dtype()) {
        return Ok(CpuTensor::from_data(data));
    }
    Err(DataError::Unsupported { backend: Cpu::NAME, kind, dtype: data.dtype() })
}
