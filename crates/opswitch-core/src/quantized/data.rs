//! A quantized tensor on the host.

use super::{QuantBits, QuantScheme};
use crate::{
    data::{Elements, TensorData},
    dtype::DType,
    error::{DataError, ShapeError},
    shape::Shape,
};

/// The elements of a quantized tensor on the host: its codes, packed, with their scale.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedData {
    pub(super) scheme: QuantScheme,
    pub(super) shape: Shape,
    /// Words of type i32, in each of which the first code has the lowest bits.
    pub(super) words: TensorData,
    pub(super) scale: TensorData,
    pub(super) zero_point: Option<TensorData>,
}

impl QuantizedData {
    /// The elements with these codes. Codes have an integer type, and of each the low bits count.
    ///
    /// ```
    /// use opswitch_core::{QuantBits, QuantLevel, QuantMode, QuantScheme, QuantizedData, TensorData};
    ///
    /// let scheme = QuantScheme::new(QuantMode::Symmetric, QuantBits::Q4, QuantLevel::Tensor);
    /// let codes = TensorData::new(vec![-7i8, 0, 3], [3])?;
    /// let data = QuantizedData::new(&codes, TensorData::new(vec![0.5f32], [])?, None, scheme)?;
    /// assert_eq!(data.codes(), [-7, 0, 3]);
    /// assert_eq!(TensorData::from(data).to_vec::<f32>(), [-3.5, 0.0, 1.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the scale, or the zero point, has not the shape that [`QuantScheme::scale_shape`] gives, or there is a zero point where
    /// the scheme is not affine, or none where it is.
    pub fn new(
        codes: &TensorData,
        scale: TensorData,
        zero_point: Option<TensorData>,
        scheme: QuantScheme,
    ) -> Result<Self, ShapeError> {
        let shape = codes.shape().clone();
        let zero_shape = zero_point.as_ref().map(TensorData::shape);
        scheme.check("QuantizedData::new", &shape, scale.shape(), zero_shape)?;
        let words = pack(&codes.to_vec::<i64>(), &shape, scheme.bits);
        Ok(Self { scheme, shape, words, scale, zero_point })
    }

    /// What the codes mean.
    pub fn scheme(&self) -> QuantScheme {
        self.scheme
    }

    /// The scale.
    pub fn scale(&self) -> &TensorData {
        &self.scale
    }

    /// The zero point of an affine scheme.
    pub fn zero_point(&self) -> Option<&TensorData> {
        self.zero_point.as_ref()
    }

    /// The codes in row-major order.
    ///
    /// # Panics
    ///
    /// Never: the words are i32.
    pub fn codes(&self) -> Vec<i64> {
        let words = self.words.as_slice::<i32>().expect("words are i32");
        unpack(words, &self.shape, self.scheme.bits)
    }

    /// The words that hold the codes, as native-endian bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.words.as_bytes()
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.num_elements()
    }

    /// The numbers that the codes stand for.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let scale = spread(&self.scale.to_vec::<f64>(), &self.shape, self.scheme);
        let zero_point =
            self.zero_point.as_ref().map(|zero| spread(&zero.to_vec::<i64>(), &self.shape, self.scheme));
        let zero_point = |position: usize| zero_point.as_ref().map_or(0, |zero: &Vec<i64>| zero[position]);
        let codes = self.codes().into_iter().zip(scale).enumerate();
        codes.map(|(position, (code, scale))| (code - zero_point(position)) as f64 * scale).collect()
    }
}

impl From<QuantizedData> for TensorData {
    fn from(data: QuantizedData) -> Self {
        let shape = data.shape.clone();
        Self::from_elements(Elements::Quantized(Box::new(data)), shape)
            .expect("the data has a code an element")
    }
}

impl TryFrom<TensorData> for QuantizedData {
    type Error = DataError;

    fn try_from(data: TensorData) -> Result<Self, DataError> {
        match data.into_parts().1 {
            Elements::Quantized(data) => Ok(*data),
            other => Err(DataError::DType { expected: DType::Q8, found: other.dtype() }),
        }
    }
}

fn pack(codes: &[i64], shape: &Shape, bits: QuantBits) -> TensorData {
    let (row, mask) = (shape.last().copied().unwrap_or(1), (1 << bits.width()) - 1);
    let word = |codes: &[i64]| {
        let placed = codes.iter().enumerate();
        placed.fold(0i64, |word, (place, code)| word | (code & mask) << (place * bits.width())) as i32
    };
    let rows = codes.chunks(row.max(1));
    let words: Vec<i32> = rows.flat_map(|row| row.chunks(bits.per_word()).map(word)).collect();
    TensorData::new(words, bits.words_shape(shape)).expect("each row has the words that its codes need")
}

fn unpack(words: &[i32], shape: &Shape, bits: QuantBits) -> Vec<i64> {
    let row = shape.last().copied().unwrap_or(1);
    let rows = words.chunks(row.div_ceil(bits.per_word()).max(1));
    let code = |words: &[i32], position: usize| {
        let up = 32 - bits.width() * (position % bits.per_word() + 1);
        i64::from(words[position / bits.per_word()] << up >> (32 - bits.width()))
    };
    rows.flat_map(|words| (0..row).map(move |position| code(words, position))).collect()
}

/// For each element the value that it shares.
fn spread<T: Copy>(values: &[T], shape: &Shape, scheme: QuantScheme) -> Vec<T> {
    let (grouped, shared) = scheme.grouped(shape);
    let strides = shared.contiguous_strides();
    let along = |position: usize| {
        let dims = grouped.iter().zip(shared.iter()).zip(&strides).rev();
        let (at, _) = dims.fold((0, position), |(at, rest), ((&extent, &shared), &stride)| {
            (at + if shared == 1 { 0 } else { rest % extent * stride as usize }, rest / extent)
        });
        values[at]
    };
    (0..shape.num_elements()).map(along).collect()
}
