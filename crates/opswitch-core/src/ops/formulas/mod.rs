//! What the families' gradient formulas and default bodies share. All of it is made of routed ops, so that gradients
//! can be differentiated again.

mod elementwise;
mod ints;
mod linalg;
mod loss;
mod movement;
mod pad;
mod quantized;
mod reduce;

pub(super) use self::{
    elementwise::*, ints::*, linalg::*, loss::*, movement::*, pad::*, quantized::*, reduce::*,
};
