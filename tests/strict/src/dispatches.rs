//! Dispatches, with and without conditions and autodiff, and the short form.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};
use opswitch_cpu::Cpu;

/// With everything.
#[backend_extension(Cpu, Other = opswitch_cpu::Cpu: cfg(target_os = "none"), Autodiff)]
pub struct Full;

/// Without autodiff.
#[backend_extension(Cpu)]
pub struct Inference;

/// With conditions on everything.
#[backend_extension(Cpu: cfg(not(target_os = "none")), Autodiff: cfg(not(target_os = "none")), families = none)]
pub struct Conditional;

/// Of this crate alone.
#[backend_extension(Cpu, Autodiff)]
pub(crate) struct Inside;

/// Of this module alone.
mod hidden {
    use super::{Cpu, FloatOps, FloatTensor, backend_extension};

    /// A dispatch that nobody else can name.
    #[backend_extension(Cpu)]
    struct Hidden;

    /// Its ops.
    #[backend_extension(dispatch = Hidden)]
    trait HiddenOps: FloatOps {
        /// The value.
        fn same(x: FloatTensor<Self>) -> FloatTensor<Self> {
            x
        }
    }

    impl HiddenOps for Cpu {}

    /// What is declared here is used here.
    #[test]
    fn private_ops_are_used() {
        let _: fn(FloatTensor<Hidden>) -> FloatTensor<Hidden> = Hidden::same;
    }
}

/// The short form.
pub mod short {
    use super::{Cpu, FloatOps, FloatTensor, backend_extension};

    /// Ops, and the dispatch that they are on.
    #[backend_extension(Cpu, Autodiff)]
    pub trait ShortOps: FloatOps {
        /// The value with another sign.
        #[backward { x => B::float_neg(grad); }]
        fn negated(x: FloatTensor<Self>) -> FloatTensor<Self> {
            Self::float_neg(x)
        }
    }

    impl ShortOps for Cpu {}
}

/// Ops of this crate alone.
#[backend_extension(dispatch = Inside)]
pub(crate) trait InsideOps: FloatOps {
    /// The value.
    #[backward { x => grad; }]
    fn inside(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl InsideOps for Cpu {
    fn inside(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

/// What is declared for this crate alone is used by it.
#[test]
fn private_dispatches_are_used() {
    let _: fn(FloatTensor<Inside>) -> FloatTensor<Inside> = Inside::inside;
}
