//! A backend with two devices, `npu:0` and `npu:1`. Its kernels are those of the CPU; its handles know which
//! device they belong to.

mod delegate;
mod ops;

use std::{cell::Cell, collections::HashSet, fmt, future::Future, str::FromStr};

use opswitch_core::{
    AnyTensor, Backend, DType, DataError, DeviceError, DeviceInfo, DeviceKind, Direct, DispatchError, Packed,
    PackedReads, PlainBackend, QuantParts, Shape, TensorData, TensorHandle, TransferTo, backend_extension,
    ops::{CollectiveOps, FloatOps, QuantizedOps, ReduceOp},
};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

/// The backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Npu;

/// One of its two devices. Written `npu:0`, or `npu`, and `npu:1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NpuDevice {
    index: u8,
}

impl NpuDevice {
    /// `npu:0`.
    pub const FIRST: Self = Self { index: 0 };
    /// `npu:1`.
    pub const SECOND: Self = Self { index: 1 };
}

impl fmt::Display for NpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "npu:{}", self.index)
    }
}

impl FromStr for NpuDevice {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        match text {
            "npu" | "npu:0" => Ok(Self::FIRST),
            "npu:1" => Ok(Self::SECOND),
            _ => {
                let reason = "this machine has two; write `npu:0` or `npu:1`".to_owned();
                Err(DeviceError::new(text, reason))
            }
        }
    }
}

/// A tensor on one of the devices.
#[derive(Clone, Debug)]
pub struct NpuTensor {
    values: CpuTensor,
    device: NpuDevice,
}

impl NpuTensor {
    /// The tensor with these values, on this device.
    pub fn new(values: CpuTensor, device: NpuDevice) -> Self {
        Self { values, device }
    }

    /// The values.
    pub fn into_values(self) -> CpuTensor {
        self.values
    }
}

impl TensorHandle for NpuTensor {
    type Device = NpuDevice;

    fn shape(&self) -> Shape {
        self.values.shape()
    }

    fn dtype(&self) -> DType {
        self.values.dtype()
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
    type QuantizedTensor = Packed<Self>;

    fn direct<From: Backend, To: Backend>() -> Option<Direct<From, To>> {
        Direct::between::<Self, Cpu>()
    }

    fn devices() -> Vec<NpuDevice> {
        vec![NpuDevice::FIRST, NpuDevice::SECOND]
    }

    fn device_info(device: &NpuDevice) -> DeviceInfo {
        DeviceInfo::new(format!("Acme NPU, socket {}", device.index), DeviceKind::Other, "Acme")
    }

    fn supports(dtype: DType, _: &NpuDevice) -> bool {
        dtype != DType::U64
    }

    fn sync(_: &NpuDevice) -> Result<(), DeviceError> {
        Ok(())
    }

    fn float_from_data(data: TensorData, device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Cpu::float_from_data(data, &CpuDevice).map(|values| NpuTensor::new(values, *device))
    }

    fn int_from_data(data: TensorData, device: &NpuDevice) -> Result<NpuTensor, DataError> {
        if !Self::supports(data.dtype(), device) {
            let (device, dtype) = (device.to_string(), data.dtype());
            return Err(DataError::UnsupportedOnDevice { device, dtype, elsewhere: "cpu" });
        }
        Cpu::int_from_data(data, &CpuDevice).map(|values| NpuTensor::new(values, *device))
    }

    fn bool_from_data(data: TensorData, device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Cpu::bool_from_data(data, &CpuDevice).map(|values| NpuTensor::new(values, *device))
    }

    fn float_into_data(tensor: NpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Cpu::float_into_data(tensor.values)
    }

    fn int_into_data(tensor: NpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Cpu::int_into_data(tensor.values)
    }

    fn bool_into_data(tensor: NpuTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Cpu::bool_into_data(tensor.values)
    }

    async fn read_many(tensors: Vec<AnyTensor<Self>>) -> Result<Vec<TensorData>, DataError> {
        let devices: HashSet<NpuDevice> = tensors.iter().map(AnyTensor::device).collect();
        WAITS.set(WAITS.get() + devices.len());
        let (tensors, reads) = PackedReads::take_apart(tensors);
        let values = tensors.into_iter().map(|tensor| match tensor {
            AnyTensor::Float(tensor) | AnyTensor::Int(tensor) | AnyTensor::Bool(tensor) => {
                tensor.values.into_data()
            }
            AnyTensor::Quantized(_) => unreachable!("quantized tensors have been taken apart"),
        });
        Ok(reads.put_together(values.collect::<Result<_, _>>()?))
    }

    fn float_to_device(tensor: NpuTensor, device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor::new(tensor.values, *device))
    }

    fn int_to_device(tensor: NpuTensor, device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor::new(tensor.values, *device))
    }

    fn bool_to_device(tensor: NpuTensor, device: &NpuDevice) -> Result<NpuTensor, DataError> {
        Ok(NpuTensor::new(tensor.values, *device))
    }

    fn quantized_from_data(data: TensorData, device: &NpuDevice) -> Result<Packed<Self>, DataError> {
        Packed::from_data(data, device)
    }

    fn quantized_into_data(
        tensor: Packed<Self>,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        tensor.into_data()
    }

    fn quantized_to_device(tensor: Packed<Self>, device: &NpuDevice) -> Result<Packed<Self>, DataError> {
        tensor.to_device(device)
    }
}

impl PlainBackend for Npu {}

thread_local! {
    /// How many tensors this thread has moved to the CPU without the host between.
    static DIRECT_MOVES: Cell<usize> = const { Cell::new(0) };
    /// How often this thread has waited for a device in `read_many`.
    static WAITS: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has waited for an NPU to read several tensors at once.
pub fn waits() -> usize {
    WAITS.get()
}

/// How many tensors this thread has moved from the NPU to the CPU without the host between.
pub fn direct_moves() -> usize {
    DIRECT_MOVES.get()
}

/// The other way goes through the host, so that both are tried.
impl TransferTo<Cpu> for Npu {
    fn transfer_float(tensor: NpuTensor, _: &CpuDevice) -> Result<CpuTensor, DataError> {
        DIRECT_MOVES.set(DIRECT_MOVES.get() + 1);
        Ok(tensor.values)
    }

    fn transfer_int(tensor: NpuTensor, device: &CpuDevice) -> Result<CpuTensor, DataError> {
        Self::transfer_float(tensor, device)
    }

    fn transfer_bool(tensor: NpuTensor, device: &CpuDevice) -> Result<CpuTensor, DataError> {
        Self::transfer_float(tensor, device)
    }
}

#[backend_extension]
impl CollectiveOps for Npu {
    /// As if every device of the group held this tensor.
    fn all_reduce(
        tensor: NpuTensor,
        group: &[NpuDevice],
        reduce: ReduceOp,
    ) -> Result<NpuTensor, DispatchError> {
        match reduce {
            ReduceOp::Sum => Ok(Self::float_mul_scalar(tensor, group.len() as f64)),
            ReduceOp::Mean => Ok(tensor),
            _ => Err(DispatchError::distributed_unsupported("CollectiveOps::all_reduce", &tensor.device)),
        }
    }
}

#[backend_extension]
impl QuantizedOps for Npu {
    fn q_from_parts(parts: QuantParts<Self>) -> Packed<Self> {
        parts.into()
    }

    fn q_into_parts(q: Packed<Self>) -> QuantParts<Self> {
        q.into_parts()
    }
}
