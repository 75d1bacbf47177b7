//! Tensors on the host.

#[cfg(feature = "ndarray")]
mod ndarray;

use std::fmt;

use half::{bf16, f16};

use crate::{
    dtype::{DType, Element},
    error::DataError,
    quantized::QuantizedData,
    shape::Shape,
};

/// A typed vector of elements.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant is the element type of its name")]
pub enum Elements {
    F64(Vec<f64>),
    F32(Vec<f32>),
    F16(Vec<f16>),
    BF16(Vec<bf16>),
    I64(Vec<i64>),
    I32(Vec<i32>),
    I16(Vec<i16>),
    I8(Vec<i8>),
    U64(Vec<u64>),
    U32(Vec<u32>),
    U16(Vec<u16>),
    U8(Vec<u8>),
    Bool(Vec<bool>),
    Quantized(Box<QuantizedData>),
}

/// Runs a block with the vector inside an [`Elements`] and its element type: `for_elements!(&elements, |values: E| ..)`. Quantized
/// elements have no such vector.
#[macro_export]
macro_rules! for_elements {
    ($elements:expr, |$values:ident: $E:ident| $body:expr) => {
        $crate::for_elements!(@match $elements, $values, $E, $body,
            F64 f64, F32 f32, F16 $crate::half::f16, BF16 $crate::half::bf16, I64 i64, I32 i32, I16 i16, I8 i8,
            U64 u64, U32 u32, U16 u16, U8 u8, Bool bool)
    };
    (@match $elements:expr, $values:ident, $E:ident, $body:expr, $($variant:ident $ty:ty),*) => {
        match $elements {
            $($crate::Elements::$variant($values) => {
                #[allow(dead_code, reason = "not every body names the element type")]
                type $E = $ty;
                $body
            })*
            _ => unreachable!("quantized elements are no vector"),
        }
    };
}

/// Runs a block with the Rust type of a [`DType`]: `for_dtype!(dtype, |E| ..)`. Codes of quantized tensors have none.
#[macro_export]
macro_rules! for_dtype {
    ($dtype:expr, |$E:ident| $body:expr) => {
        $crate::for_dtype!(@match $dtype, $E, $body,
            F64 f64, F32 f32, F16 $crate::half::f16, BF16 $crate::half::bf16, I64 i64, I32 i32, I16 i16, I8 i8,
            U64 u64, U32 u32, U16 u16, U8 u8, Bool bool)
    };
    (@match $dtype:expr, $E:ident, $body:expr, $($variant:ident $ty:ty),*) => {
        match $dtype {
            $($crate::DType::$variant => {
                type $E = $ty;
                $body
            })*
            _ => unreachable!("codes have no Rust type"),
        }
    };
}

impl Elements {
    /// The elements of a vector.
    pub fn new<E: Element>(values: Vec<E>) -> Self {
        E::wrap(values)
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        match self {
            Self::Quantized(data) => data.scheme().dtype(),
            elements => for_elements!(elements, |_values: E| E::DTYPE),
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Quantized(data) => data.len(),
            elements => for_elements!(elements, |values: E| values.len()),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, if they are of type `E`.
    pub fn as_slice<E: Element>(&self) -> Option<&[E]> {
        E::slice(self)
    }

    /// The elements, if they are of type `E`.
    pub fn as_mut_slice<E: Element>(&mut self) -> Option<&mut [E]> {
        E::slice_mut(self)
    }

    /// The vector inside, if its elements are of type `E`.
    ///
    /// # Errors
    ///
    /// Gives the elements back if they are of another type.
    pub fn into_vec<E: Element>(self) -> Result<Vec<E>, Self> {
        E::unwrap(self)
    }

    /// The elements as native-endian bytes; the words of quantized ones.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Quantized(data) => data.as_bytes(),
            elements => for_elements!(elements, |values: E| bytemuck::cast_slice(values)),
        }
    }

    /// The elements converted to `dtype`: floats round to nearest even, float to integer truncates and
    /// saturates, integer to integer wraps, and any number but 0 is `true`. Quantized elements are the numbers that their
    /// codes stand for.
    ///
    /// # Panics
    ///
    /// If elements that are not quantized become so: that takes a scale.
    pub fn cast(&self, dtype: DType) -> Self {
        if dtype == self.dtype() {
            return self.clone();
        }
        assert!(
            !dtype.is_quantized(),
            "elements of type {} become {dtype} by an op that has a scale",
            self.dtype()
        );
        if let Self::Quantized(data) = self {
            return Self::new(data.numbers()).cast(dtype);
        }
        for_elements!(self, |values: E| for_dtype!(dtype, |T| {
            let through_int = !E::DTYPE.is_float() && !T::DTYPE.is_float();
            let convert =
                |&value: &E| if through_int { T::from_i64(value.to_i64()) } else { convert::<E, T>(value) };
            Self::new(values.iter().map(convert).collect::<Vec<T>>())
        }))
    }
}

/// Converts one value where at least one side is a float; integers of 64 bits do not fit an `f64` on the way in.
fn convert<E: Element, T: Element>(value: E) -> T {
    match (E::DTYPE, T::DTYPE) {
        (_, DType::I64) => T::from_i64(value.to_i64()),
        _ => T::from_f64(value.to_f64()),
    }
}

impl fmt::Debug for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantized(data) => data.fmt(f),
            elements => for_elements!(elements, |values: E| write!(f, "{} {values:?}", E::DTYPE)),
        }
    }
}

/// A tensor on the host: shape, element type and elements in row-major order.
///
/// This is the one format in which tensors enter and leave a backend.
///
/// ```
/// # use opswitch_core::{DType, TensorData};
/// let data = TensorData::new(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
/// assert_eq!(data.dtype(), DType::F32);
/// assert_eq!(data.as_slice::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), opswitch_core::DataError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TensorData {
    shape: Shape,
    elements: Elements,
}

impl TensorData {
    /// A tensor of `shape` with `values` in row-major order.
    ///
    /// # Errors
    ///
    /// If the number of values is not the number of elements of the shape.
    pub fn new<E: Element>(values: Vec<E>, shape: impl Into<Shape>) -> Result<Self, DataError> {
        Self::from_elements(Elements::new(values), shape)
    }

    /// A tensor of `shape` with `elements` in row-major order.
    ///
    /// # Errors
    ///
    /// If the number of elements is not that of the shape.
    pub fn from_elements(elements: Elements, shape: impl Into<Shape>) -> Result<Self, DataError> {
        let shape = shape.into();
        if elements.len() != shape.num_elements() {
            return Err(DataError::Length { expected: shape.num_elements(), found: elements.len(), shape });
        }
        Ok(Self { shape, elements })
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.elements.dtype()
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }

    /// Shape and elements, without a copy.
    pub fn into_parts(self) -> (Shape, Elements) {
        (self.shape, self.elements)
    }

    /// The elements as a slice.
    ///
    /// # Errors
    ///
    /// If they are of another type than `E`; see [`cast`](Self::cast).
    pub fn as_slice<E: Element>(&self) -> Result<&[E], DataError> {
        self.elements.as_slice().ok_or(DataError::DType { expected: E::DTYPE, found: self.dtype() })
    }

    /// The elements converted to `E`, as [`Elements::cast`] converts them.
    ///
    /// # Panics
    ///
    /// Never: the conversion makes the types equal.
    pub fn to_vec<E: Element>(&self) -> Vec<E> {
        self.elements.cast(E::DTYPE).into_vec().expect("just converted to this type")
    }

    /// This tensor with its elements converted to `dtype`, as [`Elements::cast`] converts them.
    ///
    /// # Panics
    ///
    /// If elements that are not quantized become so.
    pub fn cast(&self, dtype: DType) -> Self {
        Self { shape: self.shape.clone(), elements: self.elements.cast(dtype) }
    }

    /// This tensor with its elements converted to `dtype`, which changes no value.
    ///
    /// ```
    /// # use opswitch_core::{DType, TensorData};
    /// let data = TensorData::new(vec![1i64, 1 << 40], [2])?;
    /// let error = data.cast_exact(DType::I32).unwrap_err();
    /// assert_eq!(error.to_string(), "element 1 is 1099511627776, which i32 cannot hold");
    /// # Ok::<(), opswitch_core::DataError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If an element has no equal in `dtype`.
    ///
    /// # Panics
    ///
    /// If elements that are not quantized become so.
    pub fn cast_exact(&self, dtype: DType) -> Result<Self, DataError> {
        if let Elements::Quantized(data) = &self.elements
            && !dtype.is_quantized()
        {
            return Self::new(data.numbers(), self.shape.clone())?.cast_exact(dtype);
        }
        let cast = self.cast(dtype);
        if dtype.is_quantized() {
            return Ok(cast);
        }
        let changed = for_elements!(&self.elements, |values: E| for_dtype!(dtype, |T| {
            let cast = cast.as_slice::<T>().expect("just converted to this type");
            values.iter().zip(cast).position(|(&value, &cast)| !is_same(value, cast))
        }));
        match changed {
            None => Ok(cast),
            Some(position) => {
                let value = for_elements!(&self.elements, |values: E| values[position].to_string());
                Err(DataError::Value { position, value, dtype })
            }
        }
    }

    /// The elements as native-endian bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.elements.as_bytes()
    }
}

/// Whether both are the same number. An `f64` does not tell integers of 64 bits apart, and an `i64` neither signs nor fractions.
fn is_same<E: Element, T: Element>(value: E, cast: T) -> bool {
    let (as_float, cast_as_float) = (value.to_f64(), cast.to_f64());
    let floats = E::DTYPE.is_float() || T::DTYPE.is_float();
    (as_float == cast_as_float || as_float.is_nan() && cast_as_float.is_nan())
        && (floats || value.to_i64() == cast.to_i64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_keep_what_the_target_can_hold() {
        let ints = Elements::new(vec![i64::MAX, i64::MIN, 300]);
        assert_eq!(ints.cast(DType::U8), Elements::new(vec![255u8, 0, 44]));
        assert_eq!(ints.cast(DType::I64), ints);
        let floats = Elements::new(vec![2.9f64, -2.9, 1e300]);
        assert_eq!(floats.cast(DType::I32), Elements::new(vec![2i32, -2, i32::MAX]));
        assert_eq!(floats.cast(DType::I64), Elements::new(vec![2i64, -2, i64::MAX]));
        assert_eq!(Elements::new(vec![0.0f32, -0.5]).cast(DType::Bool), Elements::new(vec![false, true]));
        // 2049 lies between the halves 2048 and 2050: ties to even.
        assert_eq!(
            Elements::new(vec![2049.0f64]).cast(DType::F16),
            Elements::new(vec![f16::from_f32(2048.0)])
        );
    }

    #[test]
    fn an_exact_cast_changes_no_value() {
        let exact = |elements: Elements, dtype| {
            TensorData::from_elements(elements, [1]).unwrap().cast_exact(dtype).is_ok()
        };
        assert!(exact(Elements::new(vec![i64::from(i32::MIN)]), DType::I32));
        assert!(!exact(Elements::new(vec![i64::from(i32::MIN) - 1]), DType::I32));
        // Both are the bits of -1, and as `f64` the second pair is equal.
        assert!(!exact(Elements::new(vec![u64::MAX]), DType::I32));
        assert!(!exact(Elements::new(vec![-1i64]), DType::U64));
        assert!(exact(Elements::new(vec![f64::NAN]), DType::F32));
        assert!(!exact(Elements::new(vec![0.1f64]), DType::F32));
        assert!(exact(Elements::new(vec![0.5f64]), DType::F16));
    }

    #[test]
    fn a_wrong_length_says_both_numbers() {
        let error = TensorData::new(vec![1.0f32; 5], [2, 3]).unwrap_err();
        assert_eq!(error.to_string(), "shape [2, 3] needs 6 elements, but 5 are given");
    }
}
