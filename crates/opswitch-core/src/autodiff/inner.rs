//! The way from [`Autodiff<B>`] to the backend inside.

use std::marker::PhantomData;

use super::{
    backend::{Autodiff, AutodiffDevice},
    tensor::{AutodiffTensor, Checkpointing, Untracked},
};
use crate::{
    backend::{Device, PlainBackend},
    error::DispatchError,
    kind::TensorKind,
    routing::{Route, Routed, Visit, Visitor},
};

/// The route from [`Autodiff<B>`] to the backend inside.
pub struct Inner<B> {
    pub(super) checkpointing: Checkpointing,
    backend: PhantomData<B>,
}

impl<B> Inner<B> {
    #[inline]
    pub(super) fn new(checkpointing: Checkpointing) -> Self {
        Self { checkpointing, backend: PhantomData }
    }
}

impl<B: PlainBackend> Route for Inner<B> {
    type Outer = Autodiff<B>;
    type Inner = B;
}

impl<B: PlainBackend> Routed<Inner<B>> for AutodiffTensor<B> {
    type Lowered = B::FloatTensor;

    #[inline]
    fn lower(self, _: &Inner<B>) -> Result<B::FloatTensor, DispatchError> {
        Ok(self.into_inner())
    }

    #[inline]
    fn lift(lowered: B::FloatTensor, route: &Inner<B>) -> Self {
        Self::constant(lowered, route.checkpointing)
    }

    #[inline]
    fn borrow_lowered(&self, _: &Inner<B>) -> Option<&B::FloatTensor> {
        Some(self.inner())
    }
}

impl<B: PlainBackend> Visit<Autodiff<B>> for AutodiffTensor<B> {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<Autodiff<B>>) {
        visitor.float(self);
    }

    #[inline]
    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut Self)) {
        change(self);
    }
}

impl<B: PlainBackend, K: TensorKind> Routed<Inner<B>> for Untracked<B, K> {
    type Lowered = K::Primitive<B>;

    #[inline]
    fn lower(self, _: &Inner<B>) -> Result<K::Primitive<B>, DispatchError> {
        Ok(self.into_inner())
    }

    #[inline]
    fn lift(lowered: K::Primitive<B>, _: &Inner<B>) -> Self {
        Self::new(lowered)
    }

    #[inline]
    fn borrow_lowered(&self, _: &Inner<B>) -> Option<&K::Primitive<B>> {
        Some(self.inner())
    }
}

impl<B: PlainBackend, K: TensorKind> Visit<Autodiff<B>> for Untracked<B, K> {}

impl<B: PlainBackend> Routed<Inner<B>> for AutodiffDevice<Device<B>> {
    type Lowered = Device<B>;

    #[inline]
    fn lower(self, _: &Inner<B>) -> Result<Device<B>, DispatchError> {
        Ok(self.into_inner())
    }

    #[inline]
    fn lift(lowered: Device<B>, route: &Inner<B>) -> Self {
        Self::new(lowered, route.checkpointing)
    }

    #[inline]
    fn borrow_lowered(&self, _: &Inner<B>) -> Option<&Device<B>> {
        Some(self.inner())
    }
}

impl<B: PlainBackend> Visit<Autodiff<B>> for AutodiffDevice<Device<B>> {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<Autodiff<B>>) {
        visitor.device(self);
    }
}

/// Lowering to the backend inside cannot fail: every tensor is on it.
#[inline]
pub(super) fn unfailing<T>(lowered: Result<T, DispatchError>) -> T {
    match lowered {
        Ok(lowered) => lowered,
        Err(error) => unreachable!("an autodiff tensor is always on the backend inside: {error}"),
    }
}
