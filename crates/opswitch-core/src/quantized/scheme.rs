//! What the codes of a quantized tensor mean.

use opswitch_macros::ExtensionType;

use crate::{
    dtype::DType,
    error::ShapeError,
    shape::{Shape, check_dim},
};

/// Where the codes of a number lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuantMode {
    /// On both sides of 0, as far on one as on the other: -127..=127, or -7..=7. The code of 0 is 0.
    Symmetric,
    /// On both sides of a zero point, which is the code of 0: -128..=127, or -8..=7.
    Affine,
}

/// How many bits a code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuantBits {
    /// 8 bits: four codes in a word.
    Q8,
    /// 4 bits: eight codes in a word.
    Q4,
}

/// What shares a scale, and a zero point if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuantLevel {
    /// The whole tensor. The scale has no dimensions.
    Tensor,
    /// All elements with one index in a dimension. The scale is a vector.
    Channel {
        /// The dimension.
        axis: usize,
    },
    /// Neighbours in the last dimension. The scale has the shape of the tensor, with the last extent divided.
    Block {
        /// How many there are. The last extent is a multiple of it.
        size: usize,
    },
}

/// How numbers are quantized: a number x has the code `clamp(round(x / scale) + zero_point)`, rounded half to even, and a code
/// q stands for `(q - zero_point) * scale`.
///
/// ```
/// use opswitch_core::{QuantBits, QuantLevel, QuantMode, QuantScheme, Shape};
///
/// let scheme = QuantScheme::new(QuantMode::Symmetric, QuantBits::Q4, QuantLevel::Block { size: 32 });
/// assert_eq!(scheme.codes(), -7..=7);
/// assert_eq!(scheme.scale_shape("quantize", &Shape::from([8, 64]))?, Shape::from([8, 2]));
/// # Ok::<(), opswitch_core::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ExtensionType)]
#[extension(plain, crate = crate)]
pub struct QuantScheme {
    /// Where codes lie.
    pub mode: QuantMode,
    /// How many bits a code has.
    pub bits: QuantBits,
    /// What shares a scale.
    pub level: QuantLevel,
}

impl QuantBits {
    /// The number of bits.
    pub const fn width(self) -> usize {
        match self {
            Self::Q8 => 8,
            Self::Q4 => 4,
        }
    }

    /// How many codes lie in a word of 32 bits.
    pub const fn per_word(self) -> usize {
        32 / self.width()
    }

    /// The shape of the words that hold the codes of a tensor: each row, along the last dimension, starts with a word of its
    /// own. A tensor without dimensions has one word.
    pub fn words_shape(self, shape: &Shape) -> Shape {
        match shape.rank().checked_sub(1) {
            None => Shape::from([1]),
            Some(last) => shape.clone().with_dim(last, shape[last].div_ceil(self.per_word())),
        }
    }
}

impl QuantScheme {
    /// The scheme of these parts.
    pub const fn new(mode: QuantMode, bits: QuantBits, level: QuantLevel) -> Self {
        Self { mode, bits, level }
    }

    /// The codes that numbers have.
    pub const fn codes(self) -> std::ops::RangeInclusive<i64> {
        let high = (1 << (self.bits.width() - 1)) - 1;
        match self.mode {
            QuantMode::Symmetric => -high..=high,
            QuantMode::Affine => -high - 1..=high,
        }
    }

    /// The element type of tensors of this scheme.
    pub const fn dtype(self) -> DType {
        match self.bits {
            QuantBits::Q8 => DType::Q8,
            QuantBits::Q4 => DType::Q4,
        }
    }

    /// The shape of the scale, and of the zero point, of a tensor of this shape.
    ///
    /// # Errors
    ///
    /// If there is no dimension for the channels, or the last extent is no multiple of a block's size.
    pub fn scale_shape(self, op: &'static str, shape: &Shape) -> Result<Shape, ShapeError> {
        match self.level {
            QuantLevel::Tensor => Ok(Shape::from([])),
            QuantLevel::Channel { axis } => {
                check_dim(op, shape, axis)?;
                Ok(Shape::from([shape[axis]]))
            }
            QuantLevel::Block { size } => {
                let last = shape.rank().checked_sub(1);
                let last = last.filter(|&last| size > 0 && shape[last].is_multiple_of(size));
                let last = last.ok_or_else(|| {
                    ShapeError::single(
                        op,
                        shape,
                        format!("its last dimension is not made of blocks of {size}"),
                    )
                })?;
                Ok(shape.clone().with_dim(last, shape[last] / size))
            }
        }
    }

    /// Checks that a tensor of this shape can have this scale and zero point.
    pub(crate) fn check(
        self,
        op: &'static str,
        shape: &Shape,
        scale: &Shape,
        zero_point: Option<&Shape>,
    ) -> Result<(), ShapeError> {
        let expected = self.scale_shape(op, shape)?;
        if *scale != expected {
            let reason = format!("the scale of a tensor of shape {shape} must have the second");
            return Err(ShapeError::pair(op, scale, &expected, reason));
        }
        match (self.mode, zero_point) {
            (QuantMode::Symmetric, None) => Ok(()),
            (QuantMode::Affine, Some(zero)) if *zero == expected => Ok(()),
            (QuantMode::Affine, Some(zero)) => {
                Err(ShapeError::pair(op, zero, &expected, "the zero point must have the shape of the scale"))
            }
            (QuantMode::Affine, None) => {
                Err(ShapeError::single(op, shape, "an affine scheme has a zero point, and none is given"))
            }
            (QuantMode::Symmetric, Some(_)) => {
                Err(ShapeError::single(op, shape, "a symmetric scheme has no zero point, and one is given"))
            }
        }
    }

    /// The shape under which a tensor broadcasts with its scale, and that of the scale. The scale's shape must fit.
    pub(crate) fn grouped(self, shape: &Shape) -> (Shape, Shape) {
        let ones = || Shape::new(&vec![1; shape.rank()]);
        match self.level {
            QuantLevel::Tensor => (shape.clone(), ones()),
            QuantLevel::Channel { axis } => (shape.clone(), ones().with_dim(axis, shape[axis])),
            QuantLevel::Block { size } => {
                let (rows, last) = shape.split_at(shape.rank() - 1);
                let blocks = rows.iter().copied().chain([last[0] / size]);
                (blocks.clone().chain([size]).collect(), blocks.chain([1]).collect())
            }
        }
    }
}
