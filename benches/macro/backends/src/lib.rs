//! Three backends and a dispatch over them.
//!
//! A dispatch is a backend itself, so one that lists the CPU alone is a thin third-party backend: types of its own around the
//! CPU's, and an implementation of each op family.

use opswitch::{
    PlainBackend, backend_extension, extend_dispatch,
    ops::{BoolOps, CollectiveOps, FloatOps, IntOps, NnOps},
};
use opswitch_cpu::Cpu;

/// A backend whose kernels are the CPU's.
#[backend_extension(Cpu, families = none)]
pub struct First;

/// Another one.
#[backend_extension(Cpu, families = none)]
pub struct Second;

impl PlainBackend for First {}
impl PlainBackend for Second {}

extend_dispatch!(First: FloatOps, IntOps, BoolOps, NnOps, CollectiveOps);
extend_dispatch!(Second: FloatOps, IntOps, BoolOps, NnOps, CollectiveOps);

/// The dispatch that the ops are routed through.
#[backend_extension(Cpu, First, Second, Autodiff)]
pub struct Dispatch;
