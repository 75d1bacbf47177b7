//! Data in and out.

use cubecl::{bytes::Bytes, server::ServerError};
use half::f16;
use opswitch_core::{DType, DataError, DeviceError, Elements, Shape, TensorData, layout::StridedTensor};

use crate::{device::CubeDevice, element, tensor::CubeTensor};

/// Copies data to a device.
pub(crate) fn from_data(data: TensorData, device: CubeDevice) -> Result<CubeTensor, DataError> {
    let dtype = data.dtype();
    element::check_data(dtype, device)?;
    let (shape, elements) = data.into_parts();
    let tensor = match elements {
        Elements::F32(values) => CubeTensor::from_elements(values, shape, dtype, device),
        Elements::F16(values) => CubeTensor::from_elements(values, shape, dtype, device),
        Elements::I32(values) => CubeTensor::from_elements(values, shape, dtype, device),
        Elements::U32(values) => CubeTensor::from_elements(values, shape, dtype, device),
        Elements::Bool(values) => {
            let values: Vec<u32> = values.into_iter().map(u32::from).collect();
            CubeTensor::from_elements(values, shape, dtype, device)
        }
        other => unreachable!("elements of type {} were refused", other.dtype()),
    };
    Ok(tensor?)
}

/// Reads tensors in the order given. Everything is asked for here; the future then waits for each device once.
pub(crate) fn read(
    tensors: Vec<CubeTensor>,
) -> impl Future<Output = Result<Vec<TensorData>, DataError>> + Send {
    let tensors: Vec<CubeTensor> = tensors.into_iter().map(|x| x.into_contiguous("into_data")).collect();
    let failure = tensors.iter().find_map(CubeTensor::failure).cloned();
    let groups = if failure.is_some() { Vec::new() } else { by_device(&tensors) };
    let requests: Vec<_> = groups.into_iter().map(|group| (request(&tensors, &group), group)).collect();
    async move {
        if let Some(error) = failure {
            return Err(error.into());
        }
        let mut bytes: Vec<Option<Bytes>> = tensors.iter().map(|_| None).collect();
        for (request, group) in requests {
            let read = request.await.map_err(|error| blame(&tensors, &group, &error))?;
            for (position, read) in group.into_iter().zip(read) {
                bytes[position] = Some(read);
            }
        }
        tensors.iter().zip(bytes).map(|(tensor, bytes)| to_data(tensor, bytes)).collect()
    }
}

/// The positions of the tensors with elements, one list a device.
fn by_device(tensors: &[CubeTensor]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (position, tensor) in tensors.iter().enumerate().filter(|(_, tensor)| tensor.client().is_some()) {
        match groups.iter_mut().find(|group| tensors[group[0]].on() == tensor.on()) {
            Some(group) => group.push(position),
            None => groups.push(vec![position]),
        }
    }
    groups
}

/// Asks a device for the bytes of its tensors. CubeCL sends the request here, not when it is awaited.
fn request(
    tensors: &[CubeTensor],
    group: &[usize],
) -> impl Future<Output = Result<Vec<Bytes>, ServerError>> + Send + use<> {
    let client = tensors[group[0]].client().expect("tensors with elements are grouped");
    client.read_async(group.iter().map(|&position| tensors[position].bytes()).collect())
}

/// The error of the first tensor that has one. A failed request says for no tensor alone what it was.
#[cold]
fn blame(tensors: &[CubeTensor], group: &[usize], error: &ServerError) -> DeviceError {
    let failed = group.iter().map(|&position| &tensors[position]).find_map(|tensor| {
        let own = tensor.client()?.check([&tensor.bytes()]).err()?;
        Some(tensor.op_error(&own))
    });
    failed.unwrap_or_else(|| tensors[group[0]].op_error(error))
}

fn to_data(tensor: &CubeTensor, bytes: Option<Bytes>) -> Result<TensorData, DataError> {
    let shape: Shape = tensor.layout().shape().clone();
    let bytes = bytes.unwrap_or_else(|| Bytes::from_bytes_vec(Vec::new()));
    let elements = match tensor.element_type() {
        DType::F32 => Elements::new(to_vec::<f32>(bytes)),
        DType::F16 => Elements::new(to_vec::<f16>(bytes)),
        DType::I32 => Elements::new(to_vec::<i32>(bytes)),
        DType::U32 => Elements::new(to_vec::<u32>(bytes)),
        DType::Bool => Elements::new(to_vec::<u32>(bytes).into_iter().map(|x| x != 0).collect::<Vec<bool>>()),
        other => unreachable!("no tensor has elements of type {other}"),
    };
    TensorData::from_elements(elements, shape)
}

/// The bytes as a vector, without a copy where their alignment allows it.
fn to_vec<E: bytemuck::Pod>(bytes: Bytes) -> Vec<E> {
    bytes.try_into_vec().unwrap_or_else(|bytes| bytemuck::pod_collect_to_vec(&bytes))
}
