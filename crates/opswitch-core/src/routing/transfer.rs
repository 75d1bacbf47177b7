//! Moving a tensor from one backend to another.

use std::any::Any;

use crate::{
    backend::{Backend, Device},
    error::DataError,
    kind::TensorKind,
};

/// Moves a tensor to a device of a backend that may be its own: through the host, unless it is.
///
/// # Errors
///
/// If a device fails, or the other backend has no tensors of this type.
///
/// # Panics
///
/// Never: the tensor is taken out once.
pub fn transfer<K: TensorKind, From: Backend, To: Backend>(
    tensor: K::Primitive<From>,
    device: &Device<To>,
) -> Result<K::Primitive<To>, DataError> {
    let mut tensor = Some(tensor);
    let same: &mut dyn Any = &mut tensor;
    if let Some(tensor) = same.downcast_mut::<Option<K::Primitive<To>>>().and_then(Option::take) {
        return K::to_device::<To>(tensor, device);
    }
    let tensor = tensor.expect("only a tensor of the other backend is taken out");
    let data = pollster::block_on(K::into_data::<From>(tensor))?;
    K::from_data::<To>(data, device)
}
