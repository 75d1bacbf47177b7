//! Quantized tensors made of a backend's own tensors.

use std::sync::Arc;

use opswitch_macros::ExtensionType;

use super::{QuantScheme, QuantizedData};
use crate::{
    any_tensor::AnyTensor,
    backend::{Backend, Device, FloatTensor, IntTensor, TensorHandle},
    data::TensorData,
    dtype::DType,
    error::DataError,
    shape::Shape,
};

/// The parts of a quantized tensor.
#[derive(Clone, Debug, ExtensionType)]
#[extension(crate = crate)]
pub struct QuantParts<B: Backend> {
    /// The codes, packed into words of type i32 of shape [`words_shape`](super::QuantBits::words_shape). The first of the codes
    /// in a word has its lowest bits.
    pub words: IntTensor<B>,
    /// The scale, in `f32` or `f64`, of shape [`scale_shape`](QuantScheme::scale_shape).
    pub scale: FloatTensor<B>,
    /// The zero point of an affine scheme, of type i32 and the shape of the scale.
    pub zero_point: Option<IntTensor<B>>,
    /// What the codes mean.
    pub scheme: QuantScheme,
    /// The shape of the tensor.
    pub shape: Shape,
}

/// A quantized tensor for any backend: four 8-bit codes, or eight 4-bit codes, in each word of an integer tensor, with the
/// scales beside them.
///
/// A backend has quantized tensors with `type QuantizedTensor = Packed<Self>`, and an implementation of
/// [`QuantizedOps`](crate::ops::QuantizedOps) by [`from`](Self::from) and [`into_parts`](Self::into_parts).
#[derive(Clone, Debug)]
pub struct Packed<B: Backend>(Arc<QuantParts<B>>);

impl<B: Backend> From<QuantParts<B>> for Packed<B> {
    fn from(parts: QuantParts<B>) -> Self {
        Self(Arc::new(parts))
    }
}

impl<B: Backend> TensorHandle for Packed<B> {
    type Device = Device<B>;

    fn shape(&self) -> Shape {
        self.0.shape.clone()
    }

    fn dtype(&self) -> DType {
        self.0.scheme.dtype()
    }

    fn device(&self) -> Device<B> {
        self.0.words.device()
    }
}

impl<B: Backend> Packed<B> {
    /// The parts.
    pub fn into_parts(self) -> QuantParts<B> {
        Arc::unwrap_or_clone(self.0)
    }

    /// For [`Backend::quantized_from_data`]. A scale in a type that the device does not have is rounded to `f32`.
    ///
    /// # Errors
    ///
    /// If the data is not quantized, or a device fails.
    pub fn from_data(data: TensorData, device: &Device<B>) -> Result<Self, DataError> {
        let dtype = data.dtype();
        let Ok(data) = QuantizedData::try_from(data) else {
            return Err(DataError::Unsupported { backend: B::NAME, kind: "quantized", dtype });
        };
        let QuantizedData { scheme, shape, words, scale, zero_point } = data;
        let scale = match scale.dtype() {
            DType::F64 if B::supports(DType::F64, device) => scale,
            _ => scale.cast(DType::F32),
        };
        let zero_point = zero_point.map(|zero| B::int_from_data(zero.cast(DType::I32), device));
        let parts = QuantParts {
            words: B::int_from_data(words, device)?,
            scale: B::float_from_data(scale, device)?,
            zero_point: zero_point.transpose()?,
            scheme,
            shape,
        };
        Ok(Self::from(parts))
    }

    /// For [`Backend::quantized_into_data`].
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn into_data(self) -> Result<TensorData, DataError> {
        let QuantParts { words, scale, zero_point, scheme, shape } = self.into_parts();
        let words = B::int_into_data(words).await?;
        let scale = B::float_into_data(scale).await?;
        let zero_point = match zero_point {
            Some(zero) => Some(B::int_into_data(zero).await?),
            None => None,
        };
        Ok(QuantizedData { scheme, shape, words, scale, zero_point }.into())
    }

    /// For [`Backend::quantized_to_device`].
    ///
    /// # Errors
    ///
    /// If a device fails.
    pub fn to_device(self, device: &Device<B>) -> Result<Self, DataError> {
        let QuantParts { words, scale, zero_point, scheme, shape } = self.into_parts();
        let parts = QuantParts {
            words: B::int_to_device(words, device)?,
            scale: B::float_to_device(scale, device)?,
            zero_point: zero_point.map(|zero| B::int_to_device(zero, device)).transpose()?,
            scheme,
            shape,
        };
        Ok(Self::from(parts))
    }
}

/// What [`Backend::read_many`] makes of quantized tensors in a list: it reads their parts beside the other tensors.
#[derive(Debug)]
pub struct PackedReads(Vec<Slot>);

/// What the next data is.
#[derive(Debug)]
enum Slot {
    Whole,
    Parts { scheme: QuantScheme, shape: Shape, has_zero_point: bool },
}

impl PackedReads {
    /// The tensors to read, none of which is quantized.
    pub fn take_apart<B: Backend<QuantizedTensor = Packed<B>>>(
        tensors: Vec<AnyTensor<B>>,
    ) -> (Vec<AnyTensor<B>>, Self) {
        let (mut plain, mut slots) = (Vec::with_capacity(tensors.len()), Vec::with_capacity(tensors.len()));
        for tensor in tensors {
            let AnyTensor::Quantized(tensor) = tensor else {
                plain.push(tensor);
                slots.push(Slot::Whole);
                continue;
            };
            let QuantParts { words, scale, zero_point, scheme, shape } = tensor.into_parts();
            slots.push(Slot::Parts { scheme, shape, has_zero_point: zero_point.is_some() });
            plain.extend([AnyTensor::Int(words), AnyTensor::Float(scale)]);
            plain.extend(zero_point.map(AnyTensor::Int));
        }
        (plain, Self(slots))
    }

    /// The data of the tensors, from that of those that were read.
    ///
    /// # Panics
    ///
    /// If it is not as much.
    pub fn put_together(self, data: Vec<TensorData>) -> Vec<TensorData> {
        let mut data = data.into_iter();
        let mut next = || data.next().expect("there is data for every tensor that was read");
        let whole = |slot| match slot {
            Slot::Whole => next(),
            Slot::Parts { scheme, shape, has_zero_point } => {
                let (words, scale) = (next(), next());
                let zero_point = has_zero_point.then(&mut next);
                QuantizedData { scheme, shape, words, scale, zero_point }.into()
            }
        };
        self.0.into_iter().map(whole).collect()
    }
}
