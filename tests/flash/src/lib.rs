//! An op library. It names no backend: its ops are composed of the built-in ones, or written by whoever lists the backends.
//!
//! An app adds the ops to its own dispatch: `extend_dispatch!(Dispatch: flash::FlashOps)`.

mod ops;
mod plan;
mod scale;

// Who uses this library needs no dependency of their own on what it is built on.
pub use opswitch as engine;

pub use self::{
    ops::FlashOps,
    plan::{PlanOps, Tiles},
    scale::{ScaleOps, Unit},
};
