use std::{fmt, future::Future, str::FromStr};

use opswitch::{Backend, DType, DataError, DeviceError, NoTensor, Shape, TensorData, TensorHandle};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

/// The backend: a name for a family of devices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Npu;

/// `npu:0` or `npu:1`; `npu` is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NpuDevice(u8);

impl fmt::Display for NpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "npu:{}", self.0)
    }
}

impl FromStr for NpuDevice {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        match text {
            "npu" | "npu:0" => Ok(Self(0)),
            "npu:1" => Ok(Self(1)),
            _ => {
                let reason = "this machine has two; write `npu:0` or `npu:1`".to_owned();
                Err(DeviceError::new(text, reason))
            }
        }
    }
}

/// A handle to a tensor: where a driver would have a buffer and strides, this one has a tensor of the CPU.
#[derive(Clone, Debug)]
pub struct NpuTensor {
    buffer: CpuTensor,
    device: NpuDevice,
}

impl TensorHandle for NpuTensor {
    type Device = NpuDevice;

    fn shape(&self) -> Shape {
        self.buffer.shape()
    }

    fn dtype(&self) -> DType {
        self.buffer.dtype()
    }

    fn device(&self) -> NpuDevice {
        self.device
    }
}

impl Backend for Npu {
    const NAME: &'static str = "npu";

    type Device = NpuDevice;
    type FloatTensor = NpuTensor;
    type IntTensor = NpuTensor;
    type BoolTensor = NpuTensor;
    type QuantizedTensor = NoTensor<NpuDevice>;

    fn devices() -> Vec<NpuDevice> {
        vec![NpuDevice(0), NpuDevice(1)]
    }

    fn sync(_: &NpuDevice) -> Result<(), DeviceError> {
        Ok(())
    }

    fn float_from_data(data: TensorData, &device: &NpuDevice) -> Result<NpuTensor, DataError> {
        if data.dtype() == DType::F64 {
            return Err(DataError::Unsupported { backend: Self::NAME, kind: "float", dtype: data.dtype() });
        }
        Ok(NpuTensor { buffer: Cpu::float_from_data(data, &CpuDevice)?, device })
    }

    fn int_from_data(data: TensorData, &device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor { buffer: Cpu::int_from_data(data, &CpuDevice)?, device })
    }

    fn bool_from_data(data: TensorData, &device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor { buffer: Cpu::bool_from_data(data, &CpuDevice)?, device })
    }

    fn float_into_data(tensor: NpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Cpu::float_into_data(tensor.buffer)
    }

    fn int_into_data(tensor: NpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Cpu::int_into_data(tensor.buffer)
    }

    fn bool_into_data(tensor: NpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Cpu::bool_into_data(tensor.buffer)
    }

    fn float_to_device(tensor: NpuTensor, &device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor { device, ..tensor })
    }

    fn int_to_device(tensor: NpuTensor, &device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor { device, ..tensor })
    }

    fn bool_to_device(tensor: NpuTensor, &device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor { device, ..tensor })
    }
}
