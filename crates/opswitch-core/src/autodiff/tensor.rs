//! The handles of the autodiff backend.

use std::{fmt, str::FromStr, sync::Arc};

use super::{backend::AutodiffDevice, graph::Node};
use crate::{
    backend::{Device, PlainBackend, TensorHandle},
    dtype::DType,
    error::DeviceError,
    kind::TensorKind,
    shape::Shape,
};

/// What is kept for the backward pass. A value of the device, so that one program can choose at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checkpointing {
    /// Keep everything that a formula reads.
    #[default]
    Off,
    /// Compute the results of memory-bound ops again instead of keeping them.
    Balanced,
}

impl fmt::Display for Checkpointing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Off => "off",
            Self::Balanced => "balanced",
        })
    }
}

impl FromStr for Checkpointing {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        match text {
            "off" => Ok(Self::Off),
            "balanced" => Ok(Self::Balanced),
            _ => Err(DeviceError::new(text, "checkpointing is `off` or `balanced`")),
        }
    }
}

/// A float tensor that may be part of a graph.
pub struct AutodiffTensor<B: PlainBackend> {
    /// The value; an empty tensor where it is absent.
    primitive: B::FloatTensor,
    /// The op that made this tensor, if it is tracked.
    pub(super) node: Option<Arc<Node>>,
    pub(super) checkpointing: Checkpointing,
    /// Whether the value was let go of, to be computed again. True only inside the graph's own store.
    absent: bool,
}

impl<B: PlainBackend> AutodiffTensor<B> {
    /// A tensor that carries no gradient.
    #[inline]
    pub fn constant(primitive: B::FloatTensor, checkpointing: Checkpointing) -> Self {
        Self { primitive, node: None, checkpointing, absent: false }
    }

    /// Whether a gradient flows through this tensor.
    #[inline]
    pub fn is_tracked(&self) -> bool {
        self.node.is_some()
    }

    /// The value, without the graph.
    #[inline]
    pub fn into_inner(self) -> B::FloatTensor {
        self.primitive
    }

    /// The value, without the graph.
    #[inline]
    pub fn inner(&self) -> &B::FloatTensor {
        &self.primitive
    }

    /// Lets go of the value: the node knows how to compute it again.
    pub(super) fn release(&mut self) {
        self.primitive = B::float_zeros(Shape::from([0]), self.dtype(), &self.primitive.device());
        self.absent = true;
    }

    pub(super) fn is_absent(&self) -> bool {
        self.absent
    }

    /// Puts the value back.
    pub(super) fn refill(&mut self, primitive: B::FloatTensor) {
        self.primitive = primitive;
        self.absent = false;
    }

    /// The same value, cut off from the graph.
    pub fn detach(self) -> Self {
        Self { node: None, ..self }
    }

    /// The extents.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.inner().shape()
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.inner().dtype()
    }

    /// Where the tensor is.
    #[inline]
    pub fn device(&self) -> AutodiffDevice<Device<B>> {
        AutodiffDevice::new(self.inner().device(), self.checkpointing)
    }
}

impl<B: PlainBackend> Clone for AutodiffTensor<B> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            primitive: self.primitive.clone(),
            node: self.node.clone(),
            checkpointing: self.checkpointing,
            absent: self.absent,
        }
    }
}

impl<B: PlainBackend> fmt::Debug for AutodiffTensor<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutodiffTensor")
            .field("primitive", &self.primitive)
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

/// A tensor of the autodiff backend that is not a float, and so carries nothing but its value.
pub struct Untracked<B: PlainBackend, K: TensorKind> {
    primitive: K::Primitive<B>,
}

impl<B: PlainBackend, K: TensorKind> Untracked<B, K> {
    /// The tensor of the autodiff backend with this value.
    #[inline]
    pub fn new(primitive: K::Primitive<B>) -> Self {
        Self { primitive }
    }

    /// The value.
    #[inline]
    pub fn into_inner(self) -> K::Primitive<B> {
        self.primitive
    }

    /// The value.
    #[inline]
    pub fn inner(&self) -> &K::Primitive<B> {
        &self.primitive
    }

    /// The extents.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.primitive.shape()
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.primitive.dtype()
    }

    /// Where the tensor is.
    #[inline]
    pub fn device(&self) -> AutodiffDevice<Device<B>> {
        AutodiffDevice::new(self.primitive.device(), Checkpointing::Off)
    }
}

impl<B: PlainBackend, K: TensorKind> Clone for Untracked<B, K> {
    #[inline]
    fn clone(&self) -> Self {
        Self { primitive: self.primitive.clone() }
    }
}

impl<B: PlainBackend, K: TensorKind> fmt::Debug for Untracked<B, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.primitive.fmt(f)
    }
}

macro_rules! tensor_handle {
    ([$($generics:tt)*] $tensor:ty) => {
        impl<$($generics)*> TensorHandle for $tensor {
            type Device = AutodiffDevice<Device<B>>;

            #[inline]
            fn shape(&self) -> Shape {
                Self::shape(self)
            }

            #[inline]
            fn dtype(&self) -> DType {
                Self::dtype(self)
            }

            #[inline]
            fn device(&self) -> Self::Device {
                Self::device(self)
            }
        }
    };
}

tensor_handle!([B: PlainBackend] AutodiffTensor<B>);
tensor_handle!([B: PlainBackend, K: TensorKind] Untracked<B, K>);
