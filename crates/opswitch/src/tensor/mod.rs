//! The tensor that users hold: a handle with its rank and kind in the type, and the ops as methods.
//!
//! | file | holds |
//! |---|---|
//! | `kind` | what ops each kind of tensor has, so that methods are written once for several kinds |
//! | `creation` | new tensors from shapes, values and random distributions |
//! | `movement`, `slicing` | methods of every kind that rearrange elements |
//! | `operators` | `+`, `-`, `*`, `/`, `%`, `!`, `&`, <code>\|</code>, `^` |
//! | `numeric` | methods of floats and ints |
//! | `float`, `reduce`, `scan`, `sort`, `einsum`, `nn`, `spatial`, `indexing`, `int`, `bool`, `quantized` | methods of one kind |
//! | `autodiff` | tracking floats and walking back |
//! | `display` | text as NumPy prints it |

mod autodiff;
mod bool;
mod creation;
mod dims;
mod display;
mod einsum;
mod float;
mod indexing;
mod int;
mod kind;
mod movement;
mod nn;
mod numeric;
mod operators;
mod quantized;
mod reduce;
mod scan;
mod slicing;
mod sort;
mod spatial;

use opswitch_core::{
    Backend, DType, DataError, Device, Element, Float, OrRaise, Shape, ShapeError, TensorData, TensorHandle,
    TensorKind, raise,
};

pub use self::{
    creation::NestedArray,
    einsum::FloatTensors,
    kind::{ElementKind, KindOps, NumericOps, Scalar},
    movement::Extent,
    slicing::{SliceArg, SliceArgs},
};

/// A tensor with `D` dimensions, of kind `K` ([`Float`], [`Int`](crate::Int), [`Bool`](crate::Bool)), on backend `B`.
///
/// A tensor is a handle: a clone shares the elements and costs next to nothing. Ops take handles by value, which lets
/// a backend write into the buffer of the last one; clone, or borrow in an operator, what is needed again.
///
/// Dimensions are counted from 0, or from -1 backwards, and binary ops broadcast extents of 1 as NumPy does. Every
/// method panics at the caller's line if shapes or dimensions do not fit, with a text that names the op and the shapes.
pub struct Tensor<const D: usize, K: TensorKind = Float, B: Backend = crate::Dispatch> {
    primitive: K::Primitive<B>,
}

impl<const D: usize, K: TensorKind, B: Backend> Tensor<D, K, B> {
    /// The tensor that a backend's handle stands for: what a custom op gives.
    ///
    /// # Panics
    ///
    /// If the handle's rank is not `D`.
    #[track_caller]
    pub fn from_primitive(primitive: K::Primitive<B>) -> Self {
        Self::from_result("Tensor::from_primitive", primitive)
    }

    /// The backend's handle: what a custom op takes.
    pub fn into_primitive(self) -> K::Primitive<B> {
        self.primitive
    }

    /// The backend's handle.
    pub fn primitive(&self) -> &K::Primitive<B> {
        &self.primitive
    }

    /// A tensor with the data's shape, element type and elements.
    ///
    /// # Panics
    ///
    /// If the data's rank is not `D`, or the backend has no tensors of kind `K` with the data's element type.
    #[track_caller]
    pub fn from_data(data: TensorData, device: &Device<B>) -> Self {
        check_rank::<D>("Tensor::from_data", data.shape()).or_raise();
        Self::wrap(K::from_data(data, device).or_raise())
    }

    /// The extents.
    ///
    /// # Panics
    ///
    /// If a backend breaks its contract with a result of another rank.
    #[track_caller]
    pub fn shape(&self) -> [usize; D] {
        match <[usize; D]>::try_from(&*self.primitive.shape()) {
            Ok(shape) => shape,
            Err(_) => check_rank::<D>("Tensor::shape", &self.primitive.shape()).map(|()| [0; D]).or_raise(),
        }
    }

    /// The number of elements.
    pub fn num_elements(&self) -> usize {
        self.primitive.shape().num_elements()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.primitive.dtype()
    }

    /// Where the tensor is.
    pub fn device(&self) -> Device<B> {
        self.primitive.device()
    }

    /// The same elements on another device; gradients flow through.
    ///
    /// # Panics
    ///
    /// If a device fails, or the other backend has no tensors of this element type.
    #[track_caller]
    pub fn to_device(self, device: &Device<B>) -> Self {
        Self::wrap(K::to_device(self.primitive, device).or_raise())
    }

    /// Reads the tensor without blocking the thread.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub async fn into_data_async(self) -> Result<TensorData, DataError> {
        K::into_data(self.primitive).await
    }

    /// What an op gave, whose rank is checked.
    #[track_caller]
    fn from_result(op: &'static str, primitive: K::Primitive<B>) -> Self {
        check_rank::<D>(op, &primitive.shape()).or_raise();
        Self { primitive }
    }

    /// A handle whose rank is known to be `D`.
    #[inline]
    fn wrap(primitive: K::Primitive<B>) -> Self {
        Self { primitive }
    }
}

impl<const D: usize, K: KindOps<B>, B: Backend> Tensor<D, K, B> {
    /// Reads the tensor, and waits for it.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub fn into_data(self) -> Result<TensorData, DataError> {
        K::into_data_blocking(self.primitive)
    }

    /// The elements in row-major order, converted to `E` as [`TensorData::cast`] converts them.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub fn to_vec<E: Element>(&self) -> Result<Vec<E>, DataError> {
        Ok(self.clone().into_data()?.to_vec())
    }

    /// The one element, converted to `E` as [`TensorData::cast`] converts it.
    ///
    /// # Errors
    ///
    /// If the device fails.
    ///
    /// # Panics
    ///
    /// If the tensor does not hold exactly one element.
    #[track_caller]
    pub fn into_scalar<E: Element>(self) -> Result<E, DataError> {
        let shape = self.primitive.shape();
        let data = self.into_data()?;
        match <[E; 1]>::try_from(data.to_vec::<E>()) {
            Ok([element]) => Ok(element),
            Err(elements) => {
                let reason = format!("one element is asked for, but there are {}", elements.len());
                raise(&ShapeError::single("into_scalar", &shape, reason))
            }
        }
    }
}

impl<const D: usize, K: TensorKind, B: Backend> Clone for Tensor<D, K, B> {
    #[inline]
    fn clone(&self) -> Self {
        Self { primitive: self.primitive.clone() }
    }
}

/// Checks that a shape has the rank that the tensor's type says.
fn check_rank<const D: usize>(op: &'static str, shape: &Shape) -> Result<(), ShapeError> {
    if shape.rank() == D {
        return Ok(());
    }
    let reason = format!("its rank is {}, but the tensor's type has rank {D}", shape.rank());
    Err(ShapeError::single(op, shape, reason))
}
