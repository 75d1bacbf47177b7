//! Which norm.

/// How a norm measures the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Norm {
    /// Σ |x|.
    L1,
    /// sqrt(Σ x²), the Euclidean norm.
    L2,
    /// max |x|.
    Infinity,
}
