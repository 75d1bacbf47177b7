//! What the families' gradient formulas and default bodies share. All of it is made of routed ops, so that gradients
//! can be differentiated again.

mod attention;
mod conv;
mod dropout;
mod elementwise;
mod embedding;
mod interpolate;
mod ints;
mod linalg;
mod loss;
mod movement;
mod norm;
mod pad;
mod pool;
mod quantized;
mod reduce;
mod taps;

pub(super) use self::{
    attention::*, conv::*, dropout::*, elementwise::*, embedding::*, interpolate::*, ints::*, linalg::*,
    loss::*, movement::*, norm::*, pad::*, pool::*, quantized::*, reduce::*,
};
