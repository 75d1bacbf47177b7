//! What a backend is.

use std::{
    fmt::{Debug, Display},
    future::Future,
    hash::Hash,
    str::FromStr,
};

use crate::{
    any_tensor::AnyTensor,
    data::TensorData,
    device_info::DeviceInfo,
    dtype::DType,
    error::{DataError, DeviceError},
    ops::FloatOps,
    routing::Direct,
    shape::Shape,
};

/// A float tensor of backend `B`.
pub type FloatTensor<B> = <B as Backend>::FloatTensor;
/// An integer tensor of backend `B`.
pub type IntTensor<B> = <B as Backend>::IntTensor;
/// A boolean tensor of backend `B`.
pub type BoolTensor<B> = <B as Backend>::BoolTensor;
/// A quantized tensor of backend `B`.
pub type QuantizedTensor<B> = <B as Backend>::QuantizedTensor;
/// A device of backend `B`.
pub type Device<B> = <B as Backend>::Device;

/// A place where tensors live, with the types of the handles to them.
///
/// A backend implements this trait and the op families that it has kernels for. A backend that holds plain values
/// implements [`PlainBackend`] as well, which lets [`Autodiff`](crate::Autodiff) wrap it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a backend",
    label = "this type does not implement `Backend`",
    note = "the entries of a list implement `opswitch::Backend`, and so do the types that tensors are generic in"
)]
pub trait Backend: Clone + Copy + Debug + Default + Send + Sync + 'static {
    /// The name in device strings: `wgpu` in `wgpu:1`. Lower case.
    const NAME: &'static str;

    /// Which device of this backend.
    type Device: DeviceHandle;
    /// A handle to a float tensor.
    type FloatTensor: TensorHandle<Device = Self::Device>;
    /// A handle to an integer tensor.
    type IntTensor: TensorHandle<Device = Self::Device>;
    /// A handle to a boolean tensor.
    type BoolTensor: TensorHandle<Device = Self::Device>;
    /// A handle to a quantized tensor; [`NoTensor`] where there are none.
    type QuantizedTensor: TensorHandle<Device = Self::Device>;

    /// The devices that this machine has, best first.
    fn devices() -> Vec<Self::Device>;

    /// What is known of the device, for people who choose one. The default knows nothing.
    fn device_info(_: &Self::Device) -> DeviceInfo {
        DeviceInfo::default()
    }

    /// Whether the device has elements of this type. The default is that it has them all.
    fn supports(_: DType, _: &Self::Device) -> bool {
        true
    }

    /// The element type of ints for which the caller names none, such as the indices that `float_argmax` gives.
    ///
    /// The default is `i64`; a device without 64-bit integers has another.
    fn int_dtype(_: &Self::Device) -> DType {
        DType::I64
    }

    /// Waits until the device has done everything that was asked of it.
    ///
    /// # Errors
    ///
    /// If the device has failed.
    fn sync(device: &Self::Device) -> Result<(), DeviceError>;

    /// A float tensor with the data's shape, element type and elements.
    ///
    /// # Errors
    ///
    /// If the backend has no float tensors of the data's type.
    fn float_from_data(data: TensorData, device: &Self::Device) -> Result<Self::FloatTensor, DataError>;

    /// An integer tensor with the data's shape, element type and elements.
    ///
    /// # Errors
    ///
    /// If the backend has no integer tensors of the data's type.
    fn int_from_data(data: TensorData, device: &Self::Device) -> Result<Self::IntTensor, DataError>;

    /// A boolean tensor with the data's shape and elements.
    ///
    /// # Errors
    ///
    /// If the data is not boolean.
    fn bool_from_data(data: TensorData, device: &Self::Device) -> Result<Self::BoolTensor, DataError>;

    /// Reads a float tensor.
    fn float_into_data(
        tensor: Self::FloatTensor,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send;

    /// Reads an integer tensor.
    fn int_into_data(tensor: Self::IntTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send;

    /// Reads a boolean tensor.
    fn bool_into_data(tensor: Self::BoolTensor)
    -> impl Future<Output = Result<TensorData, DataError>> + Send;

    /// Reads many tensors, of any kinds, in the order given.
    ///
    /// The default reads one after the other. A backend whose devices work on their own asks for everything first, and
    /// then waits once for each device.
    fn read_many(
        tensors: Vec<AnyTensor<Self>>,
    ) -> impl Future<Output = Result<Vec<TensorData>, DataError>> + Send {
        async move {
            let mut data = Vec::with_capacity(tensors.len());
            for tensor in tensors {
                data.push(tensor.into_data().await?);
            }
            Ok(data)
        }
    }

    /// Moves a float tensor to another device of this backend.
    ///
    /// # Errors
    ///
    /// If a device fails.
    fn float_to_device(
        tensor: Self::FloatTensor,
        device: &Self::Device,
    ) -> Result<Self::FloatTensor, DataError>;

    /// Moves an integer tensor to another device of this backend.
    ///
    /// # Errors
    ///
    /// If a device fails.
    fn int_to_device(tensor: Self::IntTensor, device: &Self::Device) -> Result<Self::IntTensor, DataError>;

    /// Moves a boolean tensor to another device of this backend.
    ///
    /// # Errors
    ///
    /// If a device fails.
    fn bool_to_device(tensor: Self::BoolTensor, device: &Self::Device)
    -> Result<Self::BoolTensor, DataError>;

    /// The direct way between two backends, one of which is this one. Without one, tensors move through the host.
    ///
    /// A backend with direct ways lists them, as in `Direct::between::<Npu, Cpu>().or_else(Direct::between::<Cpu, Npu>)`,
    /// where each pair implements [`TransferTo`](crate::TransferTo).
    fn direct<From: Backend, To: Backend>() -> Option<Direct<From, To>> {
        None
    }

    /// A quantized tensor with the data's shape and elements. The default is for a backend without any.
    ///
    /// # Errors
    ///
    /// If the backend has no quantized tensors of the data's type.
    fn quantized_from_data(data: TensorData, _: &Self::Device) -> Result<Self::QuantizedTensor, DataError> {
        Err(DataError::Unsupported { backend: Self::NAME, kind: "quantized", dtype: data.dtype() })
    }

    /// Reads a quantized tensor. The default is for a backend without any.
    fn quantized_into_data(
        tensor: Self::QuantizedTensor,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        let dtype = tensor.dtype();
        async move { Err(DataError::Unsupported { backend: Self::NAME, kind: "quantized", dtype }) }
    }

    /// Moves a quantized tensor to another device of this backend. The default is for a backend without any.
    ///
    /// # Errors
    ///
    /// If a device fails.
    fn quantized_to_device(
        tensor: Self::QuantizedTensor,
        _: &Self::Device,
    ) -> Result<Self::QuantizedTensor, DataError> {
        Err(DataError::Unsupported { backend: Self::NAME, kind: "quantized", dtype: tensor.dtype() })
    }

    /// [Reads](Self::read_many) many tensors, of any kinds, and waits for them.
    ///
    /// # Errors
    ///
    /// If a device fails.
    fn read_many_blocking(tensors: Vec<AnyTensor<Self>>) -> Result<Vec<TensorData>, DataError> {
        pollster::block_on(Self::read_many(tensors))
    }

    /// Reads a float tensor, and waits for it.
    ///
    /// # Errors
    ///
    /// If the device fails.
    fn float_into_data_blocking(tensor: Self::FloatTensor) -> Result<TensorData, DataError> {
        pollster::block_on(Self::float_into_data(tensor))
    }

    /// Reads an integer tensor, and waits for it.
    ///
    /// # Errors
    ///
    /// If the device fails.
    fn int_into_data_blocking(tensor: Self::IntTensor) -> Result<TensorData, DataError> {
        pollster::block_on(Self::int_into_data(tensor))
    }

    /// Reads a boolean tensor, and waits for it.
    ///
    /// # Errors
    ///
    /// If the device fails.
    fn bool_into_data_blocking(tensor: Self::BoolTensor) -> Result<TensorData, DataError> {
        pollster::block_on(Self::bool_into_data(tensor))
    }
}

/// A backend whose tensors hold values and no autodiff state: every backend but
/// [`Autodiff`](crate::Autodiff) and a dispatch.
///
/// A backend author writes `impl PlainBackend for Npu {}` to let people train through it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be wrapped by `Autodiff`",
    label = "this does not implement `PlainBackend`",
    note = "a backend of your own says that it holds plain values, as in `impl PlainBackend for Npu {{}}`",
    note = "`Autodiff<_>` is not wrapped again, and neither is a dispatch, which lists `Autodiff` itself"
)]
pub trait PlainBackend: FloatOps {}

/// Which device of a backend. Written and read as in `wgpu:1`.
pub trait DeviceHandle:
    Clone + Eq + Hash + Debug + Default + Display + FromStr<Err: std::error::Error> + Send + Sync + 'static
{
}

impl<T> DeviceHandle for T where
    T: Clone
        + Eq
        + Hash
        + Debug
        + Default
        + Display
        + FromStr<Err: std::error::Error>
        + Send
        + Sync
        + 'static
{
}

/// A handle to a tensor: cheap to clone, and thin, since moving handles is most of what dispatch costs.
pub trait TensorHandle: Clone + Debug + Send + Sync + 'static {
    /// The device type of the tensor's backend.
    type Device: DeviceHandle;

    /// The extents.
    fn shape(&self) -> Shape;

    /// The element type.
    fn dtype(&self) -> DType;

    /// Where the tensor is.
    fn device(&self) -> Self::Device;
}

/// The quantized tensor of a backend that has none: no value of this type exists.
pub struct NoTensor<D> {
    never: std::convert::Infallible,
    device: std::marker::PhantomData<fn() -> D>,
}

impl<D> NoTensor<D> {
    /// Anything at all, since there is no tensor to make it from.
    pub fn never<T>(self) -> T {
        match self.never {}
    }
}

impl<D> Clone for NoTensor<D> {
    fn clone(&self) -> Self {
        match self.never {}
    }
}

impl<D> Debug for NoTensor<D> {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.never {}
    }
}

impl<D: DeviceHandle> TensorHandle for NoTensor<D> {
    type Device = D;

    fn shape(&self) -> Shape {
        match self.never {}
    }

    fn dtype(&self) -> DType {
        match self.never {}
    }

    fn device(&self) -> D {
        match self.never {}
    }
}
