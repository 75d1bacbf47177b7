//! Moving a tensor from one backend to another.

use std::any::Any;

use crate::{
    backend::{Backend, BoolTensor, Device, FloatTensor, IntTensor},
    error::DataError,
    kind::TensorKind,
};

/// A direct way from this backend to another, where the host need not come between: two views of one memory, or a copy
/// from device to device.
///
/// One of the two backends tells of it in [`Backend::direct`].
pub trait TransferTo<To: Backend>: Backend {
    /// Moves a float tensor.
    ///
    /// # Errors
    ///
    /// If a device fails, or the other backend has no float tensors of this type.
    fn transfer_float(tensor: FloatTensor<Self>, device: &Device<To>) -> Result<FloatTensor<To>, DataError>;

    /// Moves an integer tensor.
    ///
    /// # Errors
    ///
    /// If a device fails, or the other backend has no integer tensors of this type.
    fn transfer_int(tensor: IntTensor<Self>, device: &Device<To>) -> Result<IntTensor<To>, DataError>;

    /// Moves a boolean tensor.
    ///
    /// # Errors
    ///
    /// If a device fails.
    fn transfer_bool(tensor: BoolTensor<Self>, device: &Device<To>) -> Result<BoolTensor<To>, DataError>;
}

/// A way from one kind of tensor to another.
pub type Way<Tensor, Moved, Device> = fn(Tensor, &Device) -> Result<Moved, DataError>;

/// The direct way between two backends.
pub struct Direct<From: Backend, To: Backend> {
    pub(crate) float: Way<FloatTensor<From>, FloatTensor<To>, Device<To>>,
    pub(crate) int: Way<IntTensor<From>, IntTensor<To>, Device<To>>,
    pub(crate) bool: Way<BoolTensor<From>, BoolTensor<To>, Device<To>>,
}

#[allow(clippy::expl_impl_clone_on_copy, reason = "a derive would ask that the backends be `Clone`")]
impl<From: Backend, To: Backend> Clone for Direct<From, To> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<From: Backend, To: Backend> Copy for Direct<From, To> {}

impl<From: Backend, To: Backend> Direct<From, To> {
    /// The way from `A` to `B`, if those are the backends that are asked for.
    pub fn between<A: TransferTo<B>, B: Backend>() -> Option<Self> {
        let way = Direct::<A, B> { float: A::transfer_float, int: A::transfer_int, bool: A::transfer_bool };
        let way: &dyn Any = &way;
        way.downcast_ref().copied()
    }
}

/// Moves a tensor to a device of a backend that may be its own: directly where there is such a way, else through the
/// host. Ints of a type that the device does not have become [its own](Backend::int_dtype), if those hold every value.
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
    let direct = From::direct::<From, To>().or_else(To::direct::<From, To>);
    if let Some(way) = direct.and_then(|direct| K::way(&direct)) {
        return way(tensor, device);
    }
    let data = pollster::block_on(K::into_data::<From>(tensor))?;
    let is_foreign_int = data.dtype().is_int() && !To::supports(data.dtype(), device);
    let data = if is_foreign_int { data.cast_exact(To::int_dtype(device))? } else { data };
    K::from_data::<To>(data, device)
}
