//! Associated types of op traits: values of a backend's own types, such as a plan or a cache.
//!
//! On a dispatch, the associated type is one of those of its backends ([`OneOf`]); on [`Autodiff<B>`], that of the backend
//! inside ([`Opaque`]), which carries no gradient.

use std::fmt;

use bytemuck::TransparentWrapper;

use super::{DispatchBackend, Routed, Via, Visit};
use crate::{
    autodiff::{Autodiff, Inner, NoFloats, Present},
    backend::{Backend, PlainBackend},
    error::{DispatchError, DispatchErrorKind},
};

/// Where a dispatch lists the backend `B`, or the one inside the autodiff backend `B`.
pub trait Position<B: Backend> {
    /// [`At`] the index in the list.
    type Index;
    /// [`Plain`] or [`Tracking`].
    type Mode: Mode;
}

/// An index in the list of a dispatch.
pub struct At<const INDEX: usize>;

/// An enum with one variant for each backend of a dispatch.
pub trait Variant<Index>: Sized {
    /// What the backend at this index calls the value.
    type Value;

    /// The value of this backend.
    ///
    /// # Errors
    ///
    /// If another backend made it, whose name is given.
    fn take(self) -> Result<Self::Value, &'static str>;

    /// The value, if this backend made it.
    fn get(&self) -> Option<&Self::Value>;

    /// A value that this backend made.
    fn made(value: Self::Value) -> Self;
}

/// How a backend of a dispatch holds a value: itself, or around the backend inside.
pub trait Mode {
    /// The value as this mode holds it.
    type Value<T>;

    /// Puts the value into this form.
    fn wrap<T>(value: T) -> Self::Value<T>;

    /// Puts a borrowed value into this form.
    fn wrap_ref<T>(value: &T) -> &Self::Value<T>;

    /// Takes the value out of this form.
    fn unwrap<T>(value: Self::Value<T>) -> T;
}

/// A backend itself.
pub struct Plain;

impl Mode for Plain {
    type Value<T> = T;

    #[inline]
    fn wrap<T>(value: T) -> T {
        value
    }

    #[inline]
    fn wrap_ref<T>(value: &T) -> &T {
        value
    }

    #[inline]
    fn unwrap<T>(value: T) -> T {
        value
    }
}

/// Autodiff around a backend.
pub struct Tracking;

impl Mode for Tracking {
    type Value<T> = Opaque<T>;

    #[inline]
    fn wrap<T>(value: T) -> Opaque<T> {
        Opaque(value)
    }

    #[inline]
    fn wrap_ref<T>(value: &T) -> &Opaque<T> {
        Opaque::wrap_ref(value)
    }

    #[inline]
    fn unwrap<T>(value: Opaque<T>) -> T {
        value.0
    }
}

/// The associated type of a dispatch: that of the backend which made the value.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OneOf<E>(pub E);

impl<E: fmt::Debug> fmt::Debug for OneOf<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<D, B, E> Routed<Via<D, B>> for OneOf<E>
where
    D: DispatchBackend + Position<B>,
    B: Backend,
    E: Variant<D::Index>,
{
    type Lowered = <D::Mode as Mode>::Value<E::Value>;

    #[inline]
    fn lower(self, _: &Via<D, B>) -> Result<Self::Lowered, DispatchError> {
        self.0.take().map(D::Mode::wrap).map_err(made_elsewhere::<B>)
    }

    #[inline]
    fn lift(value: Self::Lowered, _: &Via<D, B>) -> Self {
        Self(E::made(D::Mode::unwrap(value)))
    }

    #[inline]
    fn borrow_lowered(&self, _: &Via<D, B>) -> Option<&Self::Lowered> {
        self.0.get().map(D::Mode::wrap_ref)
    }
}

impl<D: DispatchBackend, E> Visit<D> for OneOf<E> {}

#[cold]
fn made_elsewhere<B: Backend>(found: &'static str) -> DispatchError {
    let help = "this value was made by an op on another backend; make one with the device of the tensors";
    DispatchError::new(DispatchErrorKind::WrongBackend { expected: B::NAME }, help).with_found(B::NAME, found)
}

/// A value of a backend's own type, which autodiff carries without looking into it: no gradient flows through it.
///
/// It is what an associated type of an op trait is on [`Autodiff<B>`]. A hand-written implementation for `Autodiff<B>` says
/// `type Plan = Opaque<B::Plan>;`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Opaque<T>(pub T);

// SAFETY: the type is `repr(transparent)`, and its only field is public.
unsafe impl<T> TransparentWrapper<T> for Opaque<T> {}

impl<T: fmt::Debug> fmt::Debug for Opaque<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<B: PlainBackend, T> Routed<Inner<B>> for Opaque<T> {
    type Lowered = T;

    #[inline]
    fn lower(self, _: &Inner<B>) -> Result<T, DispatchError> {
        Ok(self.0)
    }

    #[inline]
    fn lift(value: T, _: &Inner<B>) -> Self {
        Self(value)
    }

    #[inline]
    fn borrow_lowered(&self, _: &Inner<B>) -> Option<&T> {
        Some(&self.0)
    }
}

impl<B: PlainBackend, T> Visit<Autodiff<B>> for Opaque<T> {}

impl<T> NoFloats for Opaque<T> {}

impl<T> Present for Opaque<T> {
    type Present = Self;

    fn present(self) -> Self {
        self
    }
}
