//! Element types.

use std::{fmt, str::FromStr};

use half::{bf16, f16};

use crate::{data::Elements, error::DataError};

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DType {
    /// IEEE 754 double precision.
    F64,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 half precision.
    F16,
    /// The upper half of an `f32`.
    BF16,
    /// Signed, 64 bits.
    I64,
    /// Signed, 32 bits.
    I32,
    /// Signed, 16 bits.
    I16,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 64 bits.
    U64,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 8 bits.
    U8,
    /// One byte, 0 or 1.
    Bool,
    /// A code of 8 bits, of a quantized tensor.
    Q8,
    /// A code of 4 bits, of a quantized tensor.
    Q4,
}

impl DType {
    /// Every type of a plain element; the codes of quantized tensors mean nothing without a scale.
    pub const ALL: [Self; 13] = [
        Self::F64,
        Self::F32,
        Self::F16,
        Self::BF16,
        Self::I64,
        Self::I32,
        Self::I16,
        Self::I8,
        Self::U64,
        Self::U32,
        Self::U16,
        Self::U8,
        Self::Bool,
    ];

    /// The size of one element in bytes. Two codes of 4 bits share one.
    pub const fn size(self) -> usize {
        match self {
            Self::F64 | Self::I64 | Self::U64 => 8,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F16 | Self::BF16 | Self::I16 | Self::U16 => 2,
            Self::I8 | Self::U8 | Self::Bool | Self::Q8 | Self::Q4 => 1,
        }
    }

    /// The name as it is written in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::U64 => "u64",
            Self::U32 => "u32",
            Self::U16 => "u16",
            Self::U8 => "u8",
            Self::Bool => "bool",
            Self::Q8 => "q8",
            Self::Q4 => "q4",
        }
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F64 | Self::F32 | Self::F16 | Self::BF16)
    }

    /// Whether this is an integer type, signed or not. `bool` is none.
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, Self::Bool | Self::Q8 | Self::Q4)
    }

    /// Whether elements are codes of a quantized tensor.
    pub const fn is_quantized(self) -> bool {
        matches!(self, Self::Q8 | Self::Q4)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DType {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        Self::ALL
            .into_iter()
            .chain([Self::Q8, Self::Q4])
            .find(|dtype| dtype.name() == text)
            .ok_or_else(|| DataError::UnknownDType { text: text.to_owned() })
    }
}

/// A Rust type that can be the element of a tensor.
///
/// This trait is sealed: a backend may rely on the set being [`DType::ALL`].
pub trait Element:
    bytemuck::NoUninit
    + bytemuck::CheckedBitPattern
    + Default
    + PartialEq
    + PartialOrd
    + fmt::Debug
    + fmt::Display
    + Send
    + Sync
    + sealed::Stored
    + 'static
{
    /// The matching element type.
    const DTYPE: DType;

    /// The nearest value of this type, with Rust's `as` semantics: saturating from floats, wrapping between
    /// integers.
    fn from_f64(value: f64) -> Self;

    /// This value as an `f64`, rounded if it has more than 53 significant bits.
    fn to_f64(self) -> f64;

    /// The value of this type for an integer, wrapping around if it does not fit.
    fn from_i64(value: i64) -> Self;

    /// This value as an `i64`, with Rust's `as` semantics.
    fn to_i64(self) -> i64;
}

pub(crate) mod sealed {
    use crate::data::Elements;

    /// How an element type is stored in the variants of [`Elements`].
    pub trait Stored: Sized {
        fn wrap(values: Vec<Self>) -> Elements;
        fn slice(elements: &Elements) -> Option<&[Self]>;
        fn slice_mut(elements: &mut Elements) -> Option<&mut [Self]>;
        fn unwrap(elements: Elements) -> Result<Vec<Self>, Elements>;
    }
}

macro_rules! element {
    ($ty:ty, $variant:ident, $from_f64:expr, $to_f64:expr, $from_i64:expr, $to_i64:expr) => {
        #[allow(clippy::cast_lossless, reason = "what is lossless for some types is not for others")]
        impl Element for $ty {
            const DTYPE: DType = DType::$variant;

            #[inline]
            fn from_f64(value: f64) -> Self {
                $from_f64(value)
            }

            #[inline]
            fn to_f64(self) -> f64 {
                $to_f64(self)
            }

            #[inline]
            fn from_i64(value: i64) -> Self {
                $from_i64(value)
            }

            #[inline]
            fn to_i64(self) -> i64 {
                $to_i64(self)
            }
        }

        impl sealed::Stored for $ty {
            fn wrap(values: Vec<Self>) -> Elements {
                Elements::$variant(values)
            }

            fn slice(elements: &Elements) -> Option<&[Self]> {
                match elements {
                    Elements::$variant(values) => Some(values),
                    _ => None,
                }
            }

            fn slice_mut(elements: &mut Elements) -> Option<&mut [Self]> {
                match elements {
                    Elements::$variant(values) => Some(values),
                    _ => None,
                }
            }

            fn unwrap(elements: Elements) -> Result<Vec<Self>, Elements> {
                match elements {
                    Elements::$variant(values) => Ok(values),
                    other => Err(other),
                }
            }
        }
    };
    ($($ty:ident $variant:ident),*) => {
        $(element!($ty, $variant, |x| x as $ty, |x| x as f64, |x| x as $ty, |x| x as i64);)*
    };
}

element!(f64 F64, f32 F32, i64 I64, i32 I32, i16 I16, i8 I8, u64 U64, u32 U32, u16 U16, u8 U8);
element!(f16, F16, f16::from_f64, f16::to_f64, |x| f16::from_f64(x as f64), |x: f16| x.to_f64() as i64);
element!(bf16, BF16, bf16::from_f64, bf16::to_f64, |x| bf16::from_f64(x as f64), |x: bf16| x.to_f64() as i64);
element!(bool, Bool, |x| x != 0.0, |x| f64::from(u8::from(x)), |x| x != 0, i64::from);
