//! What the families' gradient formulas and default bodies share. All of it is made of routed ops, so that gradients
//! can be differentiated again.

mod einsum;
mod elementwise;
mod linalg;
mod loss;
mod movement;
mod norm;
mod pad;
mod quantized;
mod reduce;
mod scan;
mod sort;

pub(super) use self::{
    einsum::*, elementwise::*, linalg::*, loss::*, movement::*, norm::*, pad::*, quantized::*, reduce::*,
    scan::*, sort::*,
};
