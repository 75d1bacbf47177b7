//! What the families' gradient formulas and default bodies share. All of it is made of routed ops, so that gradients
//! can be differentiated again.

mod attention;
mod dropout;
mod elementwise;
mod embedding;
mod ints;
mod linalg;
mod loss;
mod movement;
mod norm;
mod pad;
mod quantized;
mod reduce;

pub(super) use self::{
    attention::*, dropout::*, elementwise::*, embedding::*, ints::*, linalg::*, loss::*, movement::*, norm::*,
    pad::*, quantized::*, reduce::*,
};
