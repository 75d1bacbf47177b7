//! Structs and enums of tensors.

use core::marker::PhantomData;

use opswitch::{Backend, BoolTensor, Device, ExtensionType, FloatTensor, IntTensor};

/// Named fields, some of them plain.
#[derive(Clone, Debug, ExtensionType)]
pub struct Camera<B: Backend> {
    /// Where it is.
    pub position: FloatTensor<B>,
    /// Which lenses it has.
    pub r#type: Option<IntTensor<B>>,
    /// What it is called.
    pub name: String,
    /// Where its tensors are.
    pub device: Device<B>,
}

/// Fields without names.
#[derive(Clone, Debug, ExtensionType)]
pub struct Ray<B: Backend>(pub FloatTensor<B>, pub usize, pub Vec<BoolTensor<B>>);

/// No tensor at all.
#[derive(Clone, Copy, Debug, Default, ExtensionType)]
pub struct Marker<B: Backend> {
    /// The backend.
    pub backend: PhantomData<B>,
}

/// Generic in more than the backend, with a lifetime, a constant, a default and a where-clause.
#[derive(Clone, Debug, ExtensionType)]
#[extension(backend = Place)]
pub struct Tagged<'a, T, Place: Backend, const N: usize = 1>
where
    T: Clone + PartialEq,
{
    /// Plain values.
    pub tags: [T; N],
    /// A borrowed one.
    pub name: &'a str,
    /// The tensors.
    pub tensors: [FloatTensor<Place>; N],
}

/// An enum of every kind of variant, one of which holds the type itself.
#[derive(Clone, Debug, ExtensionType)]
pub enum Light<B: Backend> {
    /// No fields.
    Off,
    /// One without a name.
    Sun(FloatTensor<B>),
    /// Several with names.
    Lamp {
        /// Where it is.
        place: FloatTensor<B>,
        /// How bright it is.
        watts: f32,
    },
    /// The type itself.
    Both(Box<Self>, Ray<B>),
}

/// No tensors, and not generic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ExtensionType)]
#[extension(plain)]
pub enum Order {
    /// Upwards.
    Rising,
    /// Downwards.
    Falling,
}

/// A type that is on its way out.
#[deprecated = "to see that generated code does not warn"]
#[derive(Clone, Debug, ExtensionType)]
pub struct Old<B: Backend> {
    /// A field that is too.
    #[deprecated = "to see that generated code does not warn"]
    pub x: FloatTensor<B>,
}

/// A bound of the generic library.
pub trait Factor: Copy + Send + Sync + 'static {
    /// The number.
    fn number(self) -> f64;
}

impl Factor for f64 {
    fn number(self) -> f64 {
        self
    }
}
