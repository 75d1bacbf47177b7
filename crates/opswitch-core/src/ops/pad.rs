//! What lies around a padded tensor.

/// What padding puts around a tensor whose elements are `T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PadMode<T> {
    /// This value.
    Constant(T),
    /// The elements mirrored at the edge, which is not repeated: `[1, 2, 3]` becomes `[3, 2, 1, 2, 3, 2, 1]`.
    Reflect,
    /// The element at the edge.
    Replicate,
}
