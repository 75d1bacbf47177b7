//! Lengths, and their conversion on the backends of this app.

use flash::{ScaleOps, Unit};
use opswitch_cpu::Cpu;

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The base unit.
    Metre,
    /// 0.0254 m.
    Inch,
}

impl Unit for Length {
    fn factor(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Inch => 0.0254,
        }
    }
}

// The trait and the backends are foreign, the unit is ours.
impl ScaleOps<Length> for Cpu {}
#[cfg(feature = "npu")]
impl ScaleOps<Length> for acme_npu::Npu {}
