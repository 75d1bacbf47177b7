//! Which keys a query may see.

use opswitch_macros::ExtensionType;

use crate::backend::{Backend, BoolTensor, FloatTensor};

/// What [`NnOps::scaled_dot_product_attention`](super::NnOps::scaled_dot_product_attention) does to the scores before they
/// become weights. Its shape expands to that of the scores, `[.., queries, keys]`.
#[derive(Clone, Debug, ExtensionType)]
#[extension(crate = crate)]
pub enum AttentionMask<B: Backend> {
    /// `true` where a query may see a key.
    Bool(BoolTensor<B>),
    /// Added to the scores; -∞ hides a key.
    Float(FloatTensor<B>),
}
