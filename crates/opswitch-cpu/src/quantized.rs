//! The quantized ops: all of them are composed.

use opswitch_core::{Packed, QuantParts, backend_extension, ops::QuantizedOps};

use crate::device::Cpu;

#[backend_extension]
impl QuantizedOps for Cpu {
    fn q_from_parts(parts: QuantParts<Self>) -> Packed<Self> {
        parts.into()
    }

    fn q_into_parts(q: Packed<Self>) -> QuantParts<Self> {
        q.into_parts()
    }
}
