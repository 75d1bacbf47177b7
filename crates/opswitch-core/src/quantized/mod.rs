//! Quantized tensors: integer codes of 8 or 4 bits, and the scales that make numbers of them.

mod data;
mod packed;
mod scheme;

pub use self::{
    data::QuantizedData,
    packed::{Packed, PackedReads, QuantParts},
    scheme::{QuantBits, QuantLevel, QuantMode, QuantScheme},
};
