//! What the families' gradient formulas and default bodies share. All of it is made of routed ops, so that gradients
//! can be differentiated again.

mod attention;
mod conv;
mod dropout;
mod einsum;
mod elementwise;
mod embedding;
mod interpolate;
mod linalg;
mod loss;
mod movement;
mod norm;
mod normalisation;
mod pad;
mod pool;
mod quantized;
mod reduce;
mod scan;
mod sort;
mod taps;
mod width;

pub(super) use self::{
    attention::*, conv::*, dropout::*, einsum::*, elementwise::*, embedding::*, interpolate::*, linalg::*,
    loss::*, movement::*, norm::*, normalisation::*, pad::*, pool::*, quantized::*, reduce::*, scan::*,
    sort::*, width::in_wide,
};
