//! The backend type.

use cubecl::future::block_on;
use opswitch_core::{
    AnyTensor, Backend, DType, DataError, DeviceError, DeviceInfo, Packed, PackedReads, PlainBackend,
    TensorData, backend_extension, ops::CollectiveOps,
};

use crate::{device::CubeDevice, element, failure, machine, read, tensor::CubeTensor};

/// The CubeCL backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cube;

impl Backend for Cube {
    const NAME: &'static str = "cube";

    type Device = CubeDevice;
    type FloatTensor = CubeTensor;
    type IntTensor = CubeTensor;
    type BoolTensor = CubeTensor;
    type QuantizedTensor = Packed<Self>;

    fn devices() -> Vec<CubeDevice> {
        machine::devices()
    }

    fn device_info(device: &CubeDevice) -> DeviceInfo {
        machine::info(*device).unwrap_or_default()
    }

    fn supports(dtype: DType, device: &CubeDevice) -> bool {
        element::has(*device, dtype)
    }

    fn int_dtype(_: &CubeDevice) -> DType {
        DType::I32
    }

    fn sync(device: &CubeDevice) -> Result<(), DeviceError> {
        block_on(device.client()?.sync()).map_err(|error| failure::device_error(*device, &error))
    }

    fn float_from_data(data: TensorData, device: &CubeDevice) -> Result<CubeTensor, DataError> {
        accept(data, "float", DType::is_float, *device)
    }

    fn int_from_data(data: TensorData, device: &CubeDevice) -> Result<CubeTensor, DataError> {
        accept(data, "int", DType::is_int, *device)
    }

    fn bool_from_data(data: TensorData, device: &CubeDevice) -> Result<CubeTensor, DataError> {
        accept(data, "bool", |dtype| dtype == DType::Bool, *device)
    }

    fn float_into_data(tensor: CubeTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        read_one(tensor)
    }

    fn int_into_data(tensor: CubeTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        read_one(tensor)
    }

    fn bool_into_data(tensor: CubeTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        read_one(tensor)
    }

    fn read_many(
        tensors: Vec<AnyTensor<Self>>,
    ) -> impl Future<Output = Result<Vec<TensorData>, DataError>> + Send {
        let (tensors, reads) = PackedReads::take_apart(tensors);
        let tensors = tensors.into_iter().map(|tensor| match tensor {
            AnyTensor::Float(tensor) | AnyTensor::Int(tensor) | AnyTensor::Bool(tensor) => tensor,
            AnyTensor::Quantized(_) => unreachable!("quantized tensors have been taken apart"),
        });
        let data = read::read(tensors.collect());
        async move { Ok(reads.put_together(data.await?)) }
    }

    fn float_to_device(tensor: CubeTensor, device: &CubeDevice) -> Result<CubeTensor, DataError> {
        move_to(tensor, *device)
    }

    fn int_to_device(tensor: CubeTensor, device: &CubeDevice) -> Result<CubeTensor, DataError> {
        move_to(tensor, *device)
    }

    fn bool_to_device(tensor: CubeTensor, device: &CubeDevice) -> Result<CubeTensor, DataError> {
        move_to(tensor, *device)
    }

    fn quantized_from_data(data: TensorData, device: &CubeDevice) -> Result<Packed<Self>, DataError> {
        Packed::from_data(data, device)
    }

    fn quantized_into_data(
        tensor: Packed<Self>,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        tensor.into_data()
    }

    fn quantized_to_device(tensor: Packed<Self>, device: &CubeDevice) -> Result<Packed<Self>, DataError> {
        tensor.to_device(device)
    }
}

#[backend_extension]
impl CollectiveOps for Cube {}

impl PlainBackend for Cube {}

fn accept(
    data: TensorData,
    kind: &'static str,
    accepts: fn(DType) -> bool,
    device: CubeDevice,
) -> Result<CubeTensor, DataError> {
    if accepts(data.dtype()) {
        return read::from_data(data, device);
    }
    Err(DataError::Unsupported { backend: Cube::NAME, kind, dtype: data.dtype() })
}

fn read_one(tensor: CubeTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
    let read = read::read(vec![tensor]);
    async move { Ok(read.await?.remove(0)) }
}

/// Moves a tensor through the host, unless it is there already.
fn move_to(tensor: CubeTensor, device: CubeDevice) -> Result<CubeTensor, DataError> {
    if tensor.on() == device {
        return Ok(tensor);
    }
    read::from_data(block_on(read_one(tensor))?, device)
}
