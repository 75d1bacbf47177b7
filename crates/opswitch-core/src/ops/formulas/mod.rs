//! What the families' gradient formulas and default bodies share. All of it is made of routed ops, so that gradients
//! can be differentiated again.

mod conv;
mod elementwise;
mod interpolate;
mod linalg;
mod loss;
mod movement;
mod pad;
mod pool;
mod reduce;
mod taps;

pub(super) use self::{
    conv::*, elementwise::*, interpolate::*, linalg::*, loss::*, movement::*, pad::*, pool::*, reduce::*,
};
