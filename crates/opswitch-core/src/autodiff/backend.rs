//! The backend that tracks gradients.

use std::{fmt, future::Future, str::FromStr};

use super::{
    tape::Tape,
    tensor::{AutodiffTensor, Checkpointing, Untracked},
};
use crate::{
    any_tensor::AnyTensor,
    backend::{Backend, Device, PlainBackend},
    data::TensorData,
    device_info::DeviceInfo,
    dtype::DType,
    error::{DataError, DeviceError},
    kind::{Bool, Int, Quantized},
};

/// The backend `B` with float tensors that remember how they were made.
///
/// Wraps a plain backend once: `Autodiff<Autodiff<B>>` does not compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Autodiff<B: PlainBackend>(std::marker::PhantomData<B>);

/// A device whose float tensors can be tracked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AutodiffDevice<D> {
    inner: D,
    checkpointing: Checkpointing,
}

impl<D> AutodiffDevice<D> {
    /// The device `inner`, with this strategy.
    #[inline]
    pub const fn new(inner: D, checkpointing: Checkpointing) -> Self {
        Self { inner, checkpointing }
    }

    /// The device that does the work.
    #[inline]
    pub const fn inner(&self) -> &D {
        &self.inner
    }

    /// The device that does the work.
    #[inline]
    pub fn into_inner(self) -> D {
        self.inner
    }

    /// What is kept for the backward pass.
    #[inline]
    pub const fn checkpointing(&self) -> Checkpointing {
        self.checkpointing
    }
}

impl<D: fmt::Display> fmt::Display for AutodiffDevice<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "autodiff({})", self.inner)
    }
}

impl<D: FromStr<Err: fmt::Display>> FromStr for AutodiffDevice<D> {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        let error = |reason: String| DeviceError::new(text, reason);
        let inner = text
            .strip_prefix("autodiff(")
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or_else(|| error("an autodiff device is written as in `autodiff(cpu)`".to_owned()))?;
        let inner = inner.parse().map_err(|reason: D::Err| error(reason.to_string()))?;
        Ok(Self::new(inner, Checkpointing::Off))
    }
}

impl<B: PlainBackend> Backend for Autodiff<B> {
    const NAME: &'static str = B::NAME;

    type Device = AutodiffDevice<Device<B>>;
    type FloatTensor = AutodiffTensor<B>;
    type IntTensor = Untracked<B, Int>;
    type BoolTensor = Untracked<B, Bool>;
    type QuantizedTensor = Untracked<B, Quantized>;

    fn devices() -> Vec<Self::Device> {
        B::devices().into_iter().map(|device| AutodiffDevice::new(device, Checkpointing::Off)).collect()
    }

    fn sync(device: &Self::Device) -> Result<(), DeviceError> {
        B::sync(&device.inner)
    }

    fn device_info(device: &Self::Device) -> DeviceInfo {
        B::device_info(&device.inner)
    }

    fn supports(dtype: DType, device: &Self::Device) -> bool {
        B::supports(dtype, &device.inner)
    }

    fn int_dtype(device: &Self::Device) -> DType {
        B::int_dtype(&device.inner)
    }

    fn read_many(
        tensors: Vec<AnyTensor<Self>>,
    ) -> impl Future<Output = Result<Vec<TensorData>, DataError>> + Send {
        B::read_many(tensors.into_iter().map(AnyTensor::into_inner).collect())
    }

    fn float_from_data(data: TensorData, device: &Self::Device) -> Result<AutodiffTensor<B>, DataError> {
        let primitive = B::float_from_data(data, &device.inner)?;
        Ok(AutodiffTensor::constant(primitive, device.checkpointing))
    }

    fn int_from_data(data: TensorData, device: &Self::Device) -> Result<Self::IntTensor, DataError> {
        B::int_from_data(data, &device.inner).map(Untracked::new)
    }

    fn bool_from_data(data: TensorData, device: &Self::Device) -> Result<Self::BoolTensor, DataError> {
        B::bool_from_data(data, &device.inner).map(Untracked::new)
    }

    fn quantized_from_data(
        data: TensorData,
        device: &Self::Device,
    ) -> Result<Self::QuantizedTensor, DataError> {
        B::quantized_from_data(data, &device.inner).map(Untracked::new)
    }

    fn float_into_data(
        tensor: AutodiffTensor<B>,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::float_into_data(tensor.into_inner())
    }

    fn int_into_data(tensor: Self::IntTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::int_into_data(tensor.into_inner())
    }

    fn bool_into_data(
        tensor: Self::BoolTensor,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::bool_into_data(tensor.into_inner())
    }

    fn quantized_into_data(
        tensor: Self::QuantizedTensor,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::quantized_into_data(tensor.into_inner())
    }

    fn float_to_device(
        tensor: AutodiffTensor<B>,
        device: &Self::Device,
    ) -> Result<AutodiffTensor<B>, DataError> {
        let from = tensor.device();
        let mut tape = Tape::<B>::new("Backend::float_to_device");
        tape.watch(&tensor);
        let edges = tape.is_tracked().then(|| tape.edges(&tensor));
        let moved = B::float_to_device(tensor.into_inner(), &device.inner)?;
        let mut output = AutodiffTensor::constant(moved, device.checkpointing);
        if let Some(edges) = edges {
            tape.record(&mut output, [edges], None, move |step| {
                let grad = Self::float_to_device(step.grad()?, &from)?;
                step.give("tensor", Some(&grad))
            });
        }
        Ok(output)
    }

    fn int_to_device(tensor: Self::IntTensor, device: &Self::Device) -> Result<Self::IntTensor, DataError> {
        B::int_to_device(tensor.into_inner(), &device.inner).map(Untracked::new)
    }

    fn bool_to_device(
        tensor: Self::BoolTensor,
        device: &Self::Device,
    ) -> Result<Self::BoolTensor, DataError> {
        B::bool_to_device(tensor.into_inner(), &device.inner).map(Untracked::new)
    }

    fn quantized_to_device(
        tensor: Self::QuantizedTensor,
        device: &Self::Device,
    ) -> Result<Self::QuantizedTensor, DataError> {
        B::quantized_to_device(tensor.into_inner(), &device.inner).map(Untracked::new)
    }
}

/// The bound that lets formulas, which are written over any backend `B`, see the tensors of [`Autodiff<I>`] as what they
/// are.
pub trait TracksGradients<I: PlainBackend>:
    Backend<
        Device = AutodiffDevice<Device<I>>,
        FloatTensor = AutodiffTensor<I>,
        IntTensor = Untracked<I, Int>,
        BoolTensor = Untracked<I, Bool>,
        QuantizedTensor = Untracked<I, Quantized>,
    >
{
}

impl<I: PlainBackend> TracksGradients<I> for Autodiff<I> {}
