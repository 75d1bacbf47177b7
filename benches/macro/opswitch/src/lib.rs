//! Our side of `cargo xtask bench macro`: a trait of ops, routed through a dispatch that another crate declares, as burn's
//! dispatch is declared in a crate of burn's.
#![cfg_attr(feature = "bare", allow(unused_imports))]

use macro_bench_backends::{Dispatch, First, Second};
use opswitch::{FloatTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;

include!(concat!(env!("OUT_DIR"), "/ops.rs"));
