//! Traits without a dispatch, and what adds them to one.

use opswitch::{Device, FloatTensor, backend_extension, extend_dispatch, ops::FloatOps};
use opswitch_cpu::Cpu;

use crate::{
    derives::{Camera, Order},
    dispatches::{Conditional, Full, Inference},
};

/// A library whose backends implement it.
#[backend_extension]
pub trait LibraryOps: FloatOps {
    /// A type of the library.
    #[backward(none)]
    fn camera(camera: Camera<Self>, order: Order) -> (Camera<Self>, Order) {
        (camera, order)
    }

    /// There or not.
    #[cfg(not(target_os = "none"))]
    #[backward { x => grad; }]
    fn conditional(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    /// On its way out.
    #[deprecated = "to see that generated code does not warn"]
    #[backward { x => grad; }]
    fn old(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

impl LibraryOps for Cpu {}

/// A generic library for any backend.
#[backend_extension(backends = any)]
pub trait AnyOps<F: crate::derives::Factor>: FloatOps {
    /// The product.
    #[backward { x => B::float_mul_scalar(grad, factor.number()); }]
    fn scaled(x: FloatTensor<Self>, factor: F) -> FloatTensor<Self> {
        Self::float_mul_scalar(x, factor.number())
    }

    /// Through the ops of the body.
    #[must_use]
    #[backward(default)]
    fn scaled_twice(mut x: FloatTensor<Self>, factor: F, _: &Device<Self>) -> FloatTensor<Self> {
        x = Self::scaled(x, factor);
        Self::scaled(x, factor)
    }

    /// Asynchronous.
    #[deprecated = "to see that generated code does not warn"]
    #[allow(async_fn_in_trait)]
    #[backward(none)]
    async fn later(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

/// A library of this crate alone.
#[backend_extension]
#[backward(none)]
pub(crate) trait InsideOps: FloatOps {
    /// The value.
    fn inside(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl InsideOps for Cpu {
    fn inside(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

extend_dispatch!(Full: LibraryOps, AnyOps, InsideOps);
extend_dispatch!(Inference: LibraryOps, AnyOps);

/// A library that asks for no op family.
#[backend_extension]
#[backward(none)]
pub trait PlainOps: opswitch::Backend {
    /// The value.
    fn plain(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

impl PlainOps for Cpu {}

extend_dispatch!(Conditional: PlainOps);

/// What is declared for this crate alone is used by it.
#[test]
fn private_libraries_are_used() {
    let _: fn(FloatTensor<Full>) -> FloatTensor<Full> = Full::inside;
}
