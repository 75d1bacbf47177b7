//! The four kinds of tensors, as types.

use std::{fmt::Debug, future::Future};

use crate::{
    any_tensor::AnyTensor,
    autodiff::{Autodiff, AutodiffDevice, AutodiffTensor, Checkpointing, Untracked, transfer_tracked},
    backend::{Backend, Device, NoTensor, PlainBackend, TensorHandle},
    data::TensorData,
    error::DataError,
    routing::{Direct, Way},
};

/// A kind of tensor: [`Float`], [`Int`], [`Bool`] or [`Quantized`].
///
/// Sealed. Code that is the same for every kind, such as moving a tensor between backends, is generic in it.
pub trait TensorKind: sealed::Sealed + Copy + Debug + Default + Send + Sync + 'static {
    /// The name in messages.
    const NAME: &'static str;

    /// The tensors of this kind on backend `B`.
    type Primitive<B: Backend>: TensorHandle<Device = Device<B>>;

    /// The tensors of this kind that can be tracked on backend `B`: none but floats, so that for the other kinds no
    /// value of this type exists.
    type Tracked<B: PlainBackend>: TensorHandle<Device = AutodiffDevice<Device<B>>>;

    /// A tensor with the data's shape, element type and elements.
    ///
    /// # Errors
    ///
    /// If the backend has no tensors of this kind with the data's type.
    fn from_data<B: Backend>(data: TensorData, device: &Device<B>) -> Result<Self::Primitive<B>, DataError>;

    /// Reads a tensor.
    fn into_data<B: Backend>(
        tensor: Self::Primitive<B>,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send;

    /// Moves a tensor to another device of its backend.
    ///
    /// # Errors
    ///
    /// If a device fails.
    fn to_device<B: Backend>(
        tensor: Self::Primitive<B>,
        device: &Device<B>,
    ) -> Result<Self::Primitive<B>, DataError>;

    /// The tensor as one whose kind is known at run time.
    fn any<B: Backend>(tensor: Self::Primitive<B>) -> AnyTensor<B>;

    /// A tensor of the autodiff backend that carries no gradient.
    fn constant<B: PlainBackend>(
        tensor: Self::Primitive<B>,
        checkpointing: Checkpointing,
    ) -> Self::Primitive<Autodiff<B>>;

    /// The tensor of the autodiff backend that a tracked one is.
    fn from_tracked<B: PlainBackend>(tensor: Self::Tracked<B>) -> Self::Primitive<Autodiff<B>>;

    /// The tracked tensor that a tensor of the autodiff backend is.
    ///
    /// # Errors
    ///
    /// Gives the plain tensor inside if this kind is never tracked.
    fn into_tracked<B: PlainBackend>(
        tensor: Self::Primitive<Autodiff<B>>,
    ) -> Result<Self::Tracked<B>, Self::Primitive<B>>;

    /// The part of a direct way that is for tensors of this kind, if there is one.
    #[allow(clippy::type_complexity, reason = "it is a name for a function type already")]
    fn way<From: Backend, To: Backend>(
        direct: &Direct<From, To>,
    ) -> Option<Way<Self::Primitive<From>, Self::Primitive<To>, Device<To>>>;

    /// Moves a tracked tensor to a device of another backend, gradient included.
    ///
    /// # Errors
    ///
    /// If a device fails, or the other backend has no tensors of this type.
    fn transfer_tracked<From: PlainBackend, To: PlainBackend>(
        tensor: Self::Tracked<From>,
        device: &AutodiffDevice<Device<To>>,
    ) -> Result<Self::Tracked<To>, DataError>;
}

mod sealed {
    pub trait Sealed {}
}

/// Floating-point tensors, the only ones with gradients.
#[derive(Clone, Copy, Debug, Default)]
pub struct Float;

/// Integer tensors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Int;

/// Boolean tensors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bool;

/// Quantized tensors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantized;

impl sealed::Sealed for Float {}
impl sealed::Sealed for Int {}
impl sealed::Sealed for Bool {}
impl sealed::Sealed for Quantized {}

impl TensorKind for Float {
    const NAME: &'static str = "float";

    type Primitive<B: Backend> = B::FloatTensor;
    type Tracked<B: PlainBackend> = AutodiffTensor<B>;

    fn from_data<B: Backend>(data: TensorData, device: &Device<B>) -> Result<B::FloatTensor, DataError> {
        B::float_from_data(data, device)
    }

    fn into_data<B: Backend>(
        tensor: B::FloatTensor,
    ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::float_into_data(tensor)
    }

    fn to_device<B: Backend>(
        tensor: B::FloatTensor,
        device: &Device<B>,
    ) -> Result<B::FloatTensor, DataError> {
        B::float_to_device(tensor, device)
    }

    fn any<B: Backend>(tensor: B::FloatTensor) -> AnyTensor<B> {
        AnyTensor::Float(tensor)
    }

    #[inline]
    fn constant<B: PlainBackend>(tensor: B::FloatTensor, checkpointing: Checkpointing) -> AutodiffTensor<B> {
        AutodiffTensor::constant(tensor, checkpointing)
    }

    #[inline]
    fn from_tracked<B: PlainBackend>(tensor: AutodiffTensor<B>) -> AutodiffTensor<B> {
        tensor
    }

    #[inline]
    fn into_tracked<B: PlainBackend>(tensor: AutodiffTensor<B>) -> Result<AutodiffTensor<B>, B::FloatTensor> {
        Ok(tensor)
    }

    fn way<From: Backend, To: Backend>(
        direct: &Direct<From, To>,
    ) -> Option<Way<From::FloatTensor, To::FloatTensor, Device<To>>> {
        Some(direct.float)
    }

    fn transfer_tracked<From: PlainBackend, To: PlainBackend>(
        tensor: AutodiffTensor<From>,
        device: &AutodiffDevice<Device<To>>,
    ) -> Result<AutodiffTensor<To>, DataError> {
        transfer_tracked(tensor, device)
    }
}

macro_rules! untracked_kind {
    ($kind:ident, $name:literal, $tensor:ident, $from_data:ident, $into_data:ident, $to_device:ident, |$direct:ident| $way:expr) => {
        impl TensorKind for $kind {
            const NAME: &'static str = $name;

            type Primitive<B: Backend> = B::$tensor;
            type Tracked<B: PlainBackend> = NoTensor<AutodiffDevice<Device<B>>>;

            fn from_data<B: Backend>(data: TensorData, device: &Device<B>) -> Result<B::$tensor, DataError> {
                B::$from_data(data, device)
            }

            fn into_data<B: Backend>(
                tensor: B::$tensor,
            ) -> impl Future<Output = Result<TensorData, DataError>> + Send {
                B::$into_data(tensor)
            }

            fn to_device<B: Backend>(
                tensor: B::$tensor,
                device: &Device<B>,
            ) -> Result<B::$tensor, DataError> {
                B::$to_device(tensor, device)
            }

            fn any<B: Backend>(tensor: B::$tensor) -> AnyTensor<B> {
                AnyTensor::$kind(tensor)
            }

            #[inline]
            fn constant<B: PlainBackend>(tensor: B::$tensor, _: Checkpointing) -> Untracked<B, Self> {
                Untracked::new(tensor)
            }

            #[inline]
            fn from_tracked<B: PlainBackend>(tensor: Self::Tracked<B>) -> Untracked<B, Self> {
                tensor.never()
            }

            #[inline]
            fn into_tracked<B: PlainBackend>(
                tensor: Untracked<B, Self>,
            ) -> Result<Self::Tracked<B>, B::$tensor> {
                Err(tensor.into_inner())
            }

            fn way<From: Backend, To: Backend>(
                $direct: &Direct<From, To>,
            ) -> Option<Way<From::$tensor, To::$tensor, Device<To>>> {
                $way
            }

            fn transfer_tracked<From: PlainBackend, To: PlainBackend>(
                tensor: Self::Tracked<From>,
                _: &AutodiffDevice<Device<To>>,
            ) -> Result<Self::Tracked<To>, DataError> {
                tensor.never()
            }
        }
    };
}

untracked_kind!(Int, "int", IntTensor, int_from_data, int_into_data, int_to_device, |direct| Some(
    direct.int
));
untracked_kind!(Bool, "bool", BoolTensor, bool_from_data, bool_into_data, bool_to_device, |direct| Some(
    direct.bool
));
untracked_kind!(
    Quantized,
    "quantized",
    QuantizedTensor,
    quantized_from_data,
    quantized_into_data,
    quantized_to_device,
    |_direct| None
);
