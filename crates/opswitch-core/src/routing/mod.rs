//! How the arguments of an op get to a backend, and its results back.
//!
//! Types decide, not names: an argument is routed by what its type implements. [`Routed`] lowers a value from an outer
//! backend to an inner one and lifts it back; [`Visit`] finds the tensors in it. Both are implemented for tensors and
//! devices by generated code and the autodiff backend, for containers in [`containers`], and for user types by
//! `#[derive(ExtensionType)]`.

mod call;
mod containers;
mod mode;
mod reads;
mod selection;
mod text;
mod transfer;
mod variants;

use std::{marker::PhantomData, ops::Deref};

pub use self::{
    call::{Call, Outcome, PanicError, ReturnError, To},
    mode::HasMode,
    reads::{Readable, Reads, read_all},
    selection::Selection,
    text::{
        NoAutodiff, autodiff_disabled, autodiff_text, backend_text, compiled_out, default_device, devices_of,
        enumerate, parse_device, tensor_wrapped_twice, unsupported_backend, wrapped_twice,
    },
    transfer::{Direct, TransferTo, Way, transfer},
    variants::{At, Mode, OneOf, Opaque, Plain, Position, Tracking, Variant},
};
use crate::{
    autodiff::{Autodiff, AutodiffDevice, Checkpointing},
    backend::{Backend, Device, DeviceHandle, FloatTensor, PlainBackend, TensorHandle},
    coverage::OpTable,
    error::{DispatchError, DispatchErrorKind},
    kind::TensorKind,
};

/// The way from an outer backend to the inner one that does its work.
pub trait Route {
    /// The backend that the caller sees.
    type Outer: Backend;
    /// The backend that the op runs on.
    type Inner: Backend;
}

/// A type that can be an argument or a result of a routed op.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot cross from one backend to another",
    label = "an op cannot take or return this",
    note = "if this is a struct or enum of your own, add `#[derive(ExtensionType)]` to it",
    note = "tensors and devices can cross, and so can `Option`, `Vec`, arrays, tuples, `Box` and `Result` of what can"
)]
pub trait Routed<R>: Sized {
    /// The same type over the inner backend.
    type Lowered;

    /// Takes the value to the inner backend.
    ///
    /// # Errors
    ///
    /// If a tensor inside is elsewhere.
    fn lower(self, route: &R) -> Result<Self::Lowered, DispatchError>;

    /// Brings a value back from the inner backend.
    fn lift(lowered: Self::Lowered, route: &R) -> Self;

    /// The value as the inner backend sees it, where that needs no copy of a handle.
    #[inline]
    fn borrow_lowered(&self, route: &R) -> Option<&Self::Lowered> {
        let _ = route;
        None
    }
}

/// A value that a borrowed argument lowers to.
pub trait RoutedRef<R> {
    /// What holds the lowered value during the call.
    type Guard<'a>: Deref
    where
        Self: 'a;

    /// Takes a borrowed value to the inner backend.
    ///
    /// # Errors
    ///
    /// If a tensor inside is elsewhere.
    fn lower_ref<'a>(&'a self, route: &R) -> Result<Self::Guard<'a>, DispatchError>;
}

/// A lowered value, borrowed where the outer one holds it as it is.
pub enum Lowered<'a, T> {
    /// The outer value holds it.
    Borrowed(&'a T),
    /// It was made for this call.
    Owned(T),
}

impl<T> Deref for Lowered<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<R, T: Routed<R, Lowered: 'static> + Clone> RoutedRef<R> for T {
    type Guard<'a>
        = Lowered<'a, T::Lowered>
    where
        Self: 'a;

    #[inline]
    fn lower_ref<'a>(&'a self, route: &R) -> Result<Lowered<'a, T::Lowered>, DispatchError> {
        match self.borrow_lowered(route) {
            Some(lowered) => Ok(Lowered::Borrowed(lowered)),
            None => self.clone().lower(route).map(Lowered::Owned),
        }
    }
}

impl<R, T: Routed<R, Lowered: 'static> + Clone> RoutedRef<R> for [T] {
    type Guard<'a>
        = Vec<T::Lowered>
    where
        T: 'a;

    fn lower_ref(&self, route: &R) -> Result<Vec<T::Lowered>, DispatchError> {
        containers::lower_all(self.iter().cloned(), route)
    }
}

/// A type in which tensors and devices of the outer backend can be found.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot cross from one backend to another",
    label = "an op cannot take or return this",
    note = "if this is a struct or enum of your own, add `#[derive(ExtensionType)]` to it",
    note = "tensors and devices can cross, and so can `Option`, `Vec`, arrays, tuples, `Box` and `Result` of what can"
)]
pub trait Visit<O: Backend> {
    /// Shows each tensor and device inside to the visitor, in order.
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        let _ = visitor;
    }

    /// Calls `change` with each float tensor inside, in the order of [`visit`](Self::visit).
    #[inline]
    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<O>)) {
        let _ = change;
    }
}

/// What is done with the tensors and devices of an argument.
pub trait Visitor<O: Backend> {
    /// A tensor of any kind on a dispatch.
    #[inline]
    fn tensor(&mut self, handle: &impl TensorHandle<Device = Device<O>>) {
        let _ = handle;
    }

    /// A float tensor of an autodiff backend.
    #[inline]
    fn float(&mut self, tensor: &FloatTensor<O>) {
        let _ = tensor;
    }

    /// A device.
    #[inline]
    fn device(&mut self, device: &Device<O>) {
        let _ = device;
    }
}

/// The backend that `#[backend_extension]` writes for a list of backends.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a dispatch",
    label = "not declared with `#[backend_extension(..)]`",
    note = "write the name of a struct that lists backends: `#[backend_extension(Cpu, Autodiff)] pub struct Dispatch;`, or `opswitch::Dispatch`"
)]
pub trait DispatchBackend: Backend<Device: DispatchDeviceHandle> {
    /// The autodiff devices, one variant a backend; the empty type in a dispatch without `Autodiff`.
    type AutodiffDevice;

    /// Makes a plain tensor one of the autodiff device around its device, with [`Checkpointing::Off`]; `to_device` takes it to
    /// one with another strategy.
    ///
    /// # Errors
    ///
    /// If it is one already, or the dispatch is declared without `Autodiff`.
    fn from_inner(tensor: FloatTensor<Self>) -> Result<FloatTensor<Self>, DispatchError>;

    /// Gives the plain tensor inside one of an autodiff device, cut off from the graph.
    fn inner(tensor: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The ops that are routed through this dispatch, whichever crate they come from: their gradients, and where each
    /// backend has them from.
    fn ops() -> OpTable {
        OpTable::of::<Self>()
    }
}

/// Says of a type that is no dispatch what it is taken for.
pub const fn is_dispatch<D: DispatchBackend>() {}

/// The device of a dispatch.
pub trait DispatchDeviceHandle: DeviceHandle {
    /// The name of the backend, without the autodiff around it.
    fn backend_name(&self) -> &'static str;

    /// The strategy, if this is an autodiff device.
    fn checkpointing(&self) -> Option<Checkpointing>;

    /// The autodiff device around this one.
    ///
    /// # Errors
    ///
    /// If this is one already, or the dispatch is declared without `Autodiff`.
    fn try_autodiff_with(self, checkpointing: Checkpointing) -> Result<Self, DispatchError>;
}

/// The backend at a position in the list of a dispatch.
pub trait Listed<const INDEX: usize> {
    /// That backend.
    type Backend: Backend;
}

/// The route from dispatch `D` to the listed backend `B`, on one device.
pub struct Via<D, B: Backend> {
    device: Device<B>,
    dispatch: PhantomData<D>,
}

impl<D: DispatchBackend, B: Backend> Route for Via<D, B> {
    type Outer = D;
    type Inner = B;
}

impl<D: DispatchBackend, B: Backend> Via<D, B> {
    /// The tensor, if it is on the device of this route.
    ///
    /// # Errors
    ///
    /// If it is on another.
    #[inline]
    pub fn here<T: TensorHandle<Device = Device<B>>>(&self, tensor: T) -> Result<T, DispatchError> {
        match self.borrow_here(&tensor) {
            Some(_) => Ok(tensor),
            None => Err(wrong_device(self.device.clone(), tensor.device())),
        }
    }

    /// The tensor, if it is on the device of this route.
    #[inline]
    pub fn borrow_here<'a, T: TensorHandle<Device = Device<B>>>(&self, tensor: &'a T) -> Option<&'a T> {
        (tensor.device() == self.device).then_some(tensor)
    }

    /// The error for a tensor of another backend.
    // Inlined, and given values, so that neither the route nor the tensor need be in memory for it.
    #[inline]
    pub fn wrong_backend<T: TensorHandle<Device = Device<D>>>(&self, found: T) -> DispatchError {
        wrong_backend::<D, B, T>(self.device.clone(), found)
    }

    /// The error for a device of another backend.
    #[inline]
    pub fn other_device(&self, found: Device<D>) -> DispatchError {
        mixed_devices(self.device.clone(), found)
    }
}

impl<D: DispatchBackend, B: PlainBackend> Via<D, Autodiff<B>> {
    /// The tracked tensor, if it is on the device of this route.
    ///
    /// # Errors
    ///
    /// If it is on another.
    #[inline]
    pub fn tracked<K: TensorKind>(
        &self,
        tensor: K::Tracked<B>,
    ) -> Result<<K as TensorKind>::Primitive<Autodiff<B>>, DispatchError> {
        if tensor.device().inner() == self.device.inner() {
            Ok(K::from_tracked(tensor))
        } else {
            Err(wrong_device(self.device.inner().clone(), tensor.device().into_inner()))
        }
    }

    /// A plain tensor as one that carries no gradient, if it is on the device of this route.
    ///
    /// # Errors
    ///
    /// If it is on another.
    #[inline]
    pub fn constant<K: TensorKind>(
        &self,
        tensor: K::Primitive<B>,
    ) -> Result<K::Primitive<Autodiff<B>>, DispatchError> {
        if tensor.device() == *self.device.inner() {
            Ok(K::constant(tensor, self.device.checkpointing()))
        } else {
            Err(wrong_device(self.device.inner().clone(), tensor.device()))
        }
    }

    /// A plain device as one of the autodiff backend.
    #[inline]
    pub fn wrap(&self, device: Device<B>) -> AutodiffDevice<Device<B>> {
        AutodiffDevice::new(device, self.device.checkpointing())
    }
}

/// What to do about a tensor elsewhere.
const MOVE_THERE: &str = "an op runs where its first tensor is; move this one there with `to_device`";

#[cold]
#[inline(never)]
fn wrong_backend<D: DispatchBackend, B: Backend, T: TensorHandle<Device = Device<D>>>(
    device: Device<B>,
    found: T,
) -> DispatchError {
    let found = found.device();
    let expected = B::NAME;
    let kind = match found.checkpointing() {
        Some(_) => DispatchErrorKind::WrongAutodiffBackend { expected },
        None => DispatchErrorKind::WrongBackend { expected },
    };
    DispatchError::new(kind, MOVE_THERE).with_found(
        format_args!("{expected} (device {device})"),
        format_args!("{} (device {found})", found.backend_name()),
    )
}

#[cold]
fn wrong_device<D: DeviceHandle>(expected: D, found: D) -> DispatchError {
    DispatchError::new(DispatchErrorKind::WrongDevice { expected: expected.to_string() }, MOVE_THERE)
        .with_found(expected, found)
}

#[cold]
pub(crate) fn mixed_devices(expected: impl DeviceHandle, found: impl DeviceHandle) -> DispatchError {
    DispatchError::new(
        DispatchErrorKind::MixedDevices,
        "give devices of one backend, with autodiff around all of them or around none",
    )
    .with_found(expected, found)
}
