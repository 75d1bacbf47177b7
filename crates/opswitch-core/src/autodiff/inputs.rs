//! What generated code asks of the types of inputs, and the messages for when they do not have it.

use super::{
    backend::AutodiffDevice,
    tensor::{AutodiffTensor, Untracked},
};
use crate::{backend::PlainBackend, dtype::DType, kind::TensorKind, shape::Shape};

/// A type with float tensors in it, for which a formula can be written.
#[diagnostic::on_unimplemented(
    message = "this input holds no float tensor, so it has no gradient to write a formula for",
    label = "remove this formula",
    note = "float tensors have gradients, and so have `Option`, `Vec`, arrays, tuples, `Box` and `#[derive(ExtensionType)]` types of them"
)]
pub trait Differentiable: Present {}

/// A type without float tensors in it, which needs no formula.
#[diagnostic::on_unimplemented(
    message = "this argument holds float tensors, and no formula says what their gradient is",
    label = "write a formula for it in `#[backward {{ .. }}]`, or `=> none` if it is not differentiable"
)]
pub trait NoFloats {}

/// A value as a formula for it sees it: that of an `Option` runs only when it is there, and sees the value inside.
pub trait Present {
    /// The value that is there.
    type Present;

    /// Takes the value out.
    fn present(self) -> Self::Present;
}

/// What a formula yields for an input of type `T`.
pub type Gradient<T> = <T as Present>::Present;

/// A type of which a formula can read shape, element type and device without keeping the tensor.
#[diagnostic::on_unimplemented(
    message = "the metadata of `{Self}` cannot be kept without its tensors",
    label = "this formula reads nothing else of it",
    note = "bind it first, as in `let x = x;`, to keep all of it"
)]
pub trait Describe {
    /// The metadata.
    type Metadata: Clone + Send + Sync + 'static;

    /// The metadata of this value.
    fn describe(&self) -> Self::Metadata;
}

/// What a formula sees of a tensor of which it reads only `shape()`, `dtype()` and `device()`.
#[derive(Clone, Debug)]
pub struct Metadata<D> {
    shape: Shape,
    dtype: DType,
    device: D,
}

impl<D: Clone> Metadata<D> {
    /// The extents.
    pub fn shape(&self) -> Shape {
        self.shape.clone()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where the tensor is.
    pub fn device(&self) -> D {
        self.device.clone()
    }
}

/// What a formula sees of a list of tensors of which it reads only `shapes()`.
#[derive(Clone, Debug)]
pub struct ListMetadata<M>(Vec<M>);

impl<D: Clone> ListMetadata<Metadata<D>> {
    /// The shape of each tensor.
    pub fn shapes(&self) -> Vec<Shape> {
        self.0.iter().map(Metadata::shape).collect()
    }
}

impl<B: PlainBackend> Differentiable for AutodiffTensor<B> {}
impl<T: Differentiable> Differentiable for Option<T> {}
impl<T: Differentiable> Differentiable for Vec<T> {}
impl<T: Differentiable, const N: usize> Differentiable for [T; N] {}
impl<T: Differentiable> Differentiable for Box<T> {}

impl<B: PlainBackend, K: TensorKind> NoFloats for Untracked<B, K> {}
impl<D> NoFloats for AutodiffDevice<D> {}
impl<B> NoFloats for std::marker::PhantomData<B> {}
impl<T: NoFloats> NoFloats for Option<T> {}
impl<T: NoFloats> NoFloats for Vec<T> {}
impl<T: NoFloats> NoFloats for [T] {}
impl<T: NoFloats, const N: usize> NoFloats for [T; N] {}
impl<T: NoFloats + ?Sized> NoFloats for Box<T> {}
impl<T: NoFloats + ?Sized> NoFloats for &T {}

impl<B: PlainBackend> Describe for AutodiffTensor<B> {
    type Metadata = Metadata<AutodiffDevice<B::Device>>;

    fn describe(&self) -> Self::Metadata {
        Metadata { shape: self.shape(), dtype: self.dtype(), device: self.device() }
    }
}

impl<B: PlainBackend, K: TensorKind> Describe for Untracked<B, K> {
    type Metadata = Metadata<AutodiffDevice<B::Device>>;

    fn describe(&self) -> Self::Metadata {
        Metadata { shape: self.shape(), dtype: self.dtype(), device: self.device() }
    }
}

impl<T: Describe> Describe for Option<T> {
    type Metadata = Option<T::Metadata>;

    fn describe(&self) -> Self::Metadata {
        self.as_ref().map(T::describe)
    }
}

impl<T: Describe> Describe for Vec<T> {
    type Metadata = ListMetadata<T::Metadata>;

    fn describe(&self) -> Self::Metadata {
        self.as_slice().describe()
    }
}

impl<T: Describe, const N: usize> Describe for [T; N] {
    type Metadata = ListMetadata<T::Metadata>;

    fn describe(&self) -> Self::Metadata {
        self.as_slice().describe()
    }
}

impl<T: Describe> Describe for [T] {
    type Metadata = ListMetadata<T::Metadata>;

    fn describe(&self) -> Self::Metadata {
        ListMetadata(self.iter().map(T::describe).collect())
    }
}

macro_rules! present_as_it_is {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Present for $ty {
            type Present = Self;

            #[inline]
            fn present(self) -> Self {
                self
            }
        }
    )*};
}

present_as_it_is! {
    [B: PlainBackend] AutodiffTensor<B>;
    [B: PlainBackend, K: TensorKind] Untracked<B, K>;
    [D] AutodiffDevice<D>;
    [D] Metadata<D>;
    [M] ListMetadata<M>;
    [T] Vec<T>;
    [T, const N: usize] [T; N];
    [T] Box<T>;
}

impl<T: Present> Present for Option<T> {
    type Present = T::Present;

    fn present(self) -> T::Present {
        self.expect("a formula for an input runs only when the input is there").present()
    }
}

impl<T: Present, E> Present for Result<T, E> {
    type Present = T::Present;

    fn present(self) -> T::Present {
        match self {
            Ok(value) => value.present(),
            Err(_) => unreachable!("an op that failed has no result to walk back from"),
        }
    }
}

macro_rules! tuples {
    ($(($($T:ident),+);)*) => {$(
        present_as_it_is!([$($T),+] ($($T,)+););
        impl<$($T),+> Differentiable for ($($T,)+) {}
        impl<$($T: NoFloats),+> NoFloats for ($($T,)+) {}
    )*};
}

present_as_it_is!([A] (A,););
impl<A: Differentiable> Differentiable for (A,) {}
impl<A: NoFloats> NoFloats for (A,) {}

tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
    (A, B, C, D, E, F, G);
    (A, B, C, D, E, F, G, H);
}
