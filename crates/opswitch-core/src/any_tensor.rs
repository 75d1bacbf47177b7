//! A tensor of a kind that is known at run time.

use crate::{
    autodiff::Autodiff,
    backend::{Backend, BoolTensor, FloatTensor, IntTensor, PlainBackend, QuantizedTensor, TensorHandle},
    data::TensorData,
    error::DataError,
};

/// A tensor of any kind, where several kinds stand in one list.
#[derive(Debug)]
pub enum AnyTensor<B: Backend> {
    /// A float tensor.
    Float(FloatTensor<B>),
    /// An integer tensor.
    Int(IntTensor<B>),
    /// A boolean tensor.
    Bool(BoolTensor<B>),
    /// A quantized tensor.
    Quantized(QuantizedTensor<B>),
}

// Not derived: a derive would ask that the backend's tensors be `Clone` once more.
impl<B: Backend> Clone for AnyTensor<B> {
    fn clone(&self) -> Self {
        match self {
            Self::Float(tensor) => Self::Float(tensor.clone()),
            Self::Int(tensor) => Self::Int(tensor.clone()),
            Self::Bool(tensor) => Self::Bool(tensor.clone()),
            Self::Quantized(tensor) => Self::Quantized(tensor.clone()),
        }
    }
}

impl<B: Backend> AnyTensor<B> {
    /// Reads the tensor.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn into_data(self) -> Result<TensorData, DataError> {
        match self {
            Self::Float(tensor) => B::float_into_data(tensor).await,
            Self::Int(tensor) => B::int_into_data(tensor).await,
            Self::Bool(tensor) => B::bool_into_data(tensor).await,
            Self::Quantized(tensor) => B::quantized_into_data(tensor).await,
        }
    }

    /// Where the tensor is.
    pub fn device(&self) -> B::Device {
        match self {
            Self::Float(tensor) => tensor.device(),
            Self::Int(tensor) => tensor.device(),
            Self::Bool(tensor) => tensor.device(),
            Self::Quantized(tensor) => tensor.device(),
        }
    }
}

impl<B: PlainBackend> AnyTensor<Autodiff<B>> {
    /// The tensor of the backend inside.
    pub fn into_inner(self) -> AnyTensor<B> {
        match self {
            Self::Float(tensor) => AnyTensor::Float(tensor.into_inner()),
            Self::Int(tensor) => AnyTensor::Int(tensor.into_inner()),
            Self::Bool(tensor) => AnyTensor::Bool(tensor.into_inner()),
            Self::Quantized(tensor) => AnyTensor::Quantized(tensor.into_inner()),
        }
    }
}
