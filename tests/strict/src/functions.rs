//! Every kind of function that a dispatch routes.

use core::future::Future;

use opswitch::{
    BoolTensor, DType, Device, DispatchError, FloatTensor, IntTensor, TensorHandle, backend_extension,
    ops::FloatOps,
};
use opswitch_cpu::Cpu;

use crate::{
    derives::{Camera, Light, Marker, Order, Tagged},
    dispatches::Full,
};

/// A tensor by another name.
type Image<B> = FloatTensor<B>;

/// What an op gives in containers.
type Containers<B> = (Option<FloatTensor<B>>, Vec<(Image<B>, usize)>, [IntTensor<B>; 2], Box<BoolTensor<B>>);

/// Ops without gradients.
#[backend_extension(dispatch = Full)]
#[backward(none)]
pub trait ManyOps: FloatOps {
    /// A constant, and no op.
    const SCALE: f64 = 2.0;

    /// Containers, in and out.
    fn containers(
        option: Option<FloatTensor<Self>>,
        list: Vec<(Image<Self>, usize)>,
        array: [IntTensor<Self>; 2],
        boxed: Box<BoolTensor<Self>>,
    ) -> Containers<Self> {
        (option, list, array, boxed)
    }

    /// References and slices.
    fn borrowed<'a>(
        x: &FloatTensor<Self>,
        list: &[FloatTensor<Self>],
        name: &'a str,
        device: &Device<Self>,
    ) -> (&'a str, usize, Device<Self>) {
        (name, list.len().saturating_add(x.shape().rank()), device.clone())
    }

    /// Structs and enums.
    fn types(
        camera: Camera<Self>,
        light: &Light<Self>,
        marker: Marker<Self>,
        tagged: Tagged<'_, String, Self, 2>,
        order: (Order, Device<Self>),
    ) -> (Camera<Self>, Marker<Self>, Light<Self>, Order) {
        drop(tagged);
        (camera, marker, light.clone(), order.0)
    }

    /// A device alone.
    fn created(extent: usize, device: &Device<Self>) -> FloatTensor<Self> {
        Self::float_ones([extent].into(), DType::F64, device)
    }

    /// No result.
    fn nothing(x: FloatTensor<Self>) {
        drop(x);
    }

    /// A result that may be an error.
    ///
    /// # Errors
    ///
    /// If a tensor is elsewhere.
    fn attempt(x: FloatTensor<Self>, y: FloatTensor<Self>) -> Result<FloatTensor<Self>, DispatchError> {
        Ok(Self::float_add(x, y))
    }

    /// An asynchronous op.
    ///
    /// # Errors
    ///
    /// If a tensor is elsewhere.
    #[allow(async_fn_in_trait)]
    async fn later(x: FloatTensor<Self>) -> Result<FloatTensor<Self>, DispatchError> {
        Ok(x)
    }

    /// A future that can be sent.
    fn promised(x: FloatTensor<Self>, scale: f64) -> impl Future<Output = FloatTensor<Self>> + Send {
        async move { Self::float_mul_scalar(x, scale) }
    }

    /// Generics of every kind.
    fn generic<'a, T, F, const N: usize>(
        x: FloatTensor<Self>,
        values: &'a [T; N],
        f: F,
    ) -> (FloatTensor<Self>, usize)
    where
        T: Copy + Into<f64>,
        F: Fn(&'a [T; N]) -> &'a T,
    {
        let chosen = f(values);
        (Self::float_mul_scalar(x, (*chosen).into()), N)
    }

    /// An argument of any type that fits.
    fn shaped(x: FloatTensor<Self>, shape: impl Into<Vec<usize>>) -> FloatTensor<Self> {
        let shape: Vec<usize> = shape.into();
        Self::float_reshape(x, shape.into())
    }

    /// Patterns and odd names.
    fn patterns(
        _: f64,
        mut x: FloatTensor<Self>,
        r#type: usize,
        _unused: &Device<Self>,
    ) -> FloatTensor<Self> {
        if r#type > 0 {
            x = Self::float_neg(x);
        }
        x
    }

    /// There or not.
    #[cfg(not(target_os = "none"))]
    fn conditional(x: FloatTensor<Self>, #[cfg(target_os = "none")] stream: u32) -> FloatTensor<Self> {
        x
    }

    /// A result that must be used.
    #[must_use]
    fn important(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    /// On its way out.
    #[deprecated = "to see that generated code does not warn"]
    fn old(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

impl ManyOps for Cpu {}

/// A generic trait.
#[backend_extension(dispatch = Full)]
pub trait GenericOps<T: Copy + Into<f64> + Send + Sync + 'static, const N: usize>: FloatOps
where
    T: PartialEq,
{
    /// The product with each of the factors.
    #[backward {
        x => {
            let product: f64 = factors.into_iter().map(Into::into).product();
            B::float_mul_scalar(grad, product)
        };
    }]
    fn times(x: FloatTensor<Self>, factors: [T; N]) -> FloatTensor<Self> {
        let product: f64 = factors.into_iter().map(Into::into).product();
        Self::float_mul_scalar(x, product)
    }
}

impl<T: Copy + Into<f64> + PartialEq + Send + Sync + 'static, const N: usize> GenericOps<T, N> for Cpu {}

/// A trait with a type that each backend chooses.
#[backend_extension(dispatch = Full)]
#[backward(none)]
pub trait PlanOps: FloatOps {
    /// How the backend goes about it.
    type Plan: Clone + core::fmt::Debug + PartialEq + Send + Sync + 'static;

    /// The plan for this many values.
    fn plan(len: usize, device: &Device<Self>) -> Self::Plan;

    /// Runs a plan.
    fn run(x: FloatTensor<Self>, plan: &Self::Plan) -> FloatTensor<Self>;
}

impl PlanOps for Cpu {
    type Plan = usize;

    fn plan(len: usize, _: &Device<Self>) -> usize {
        len
    }

    fn run(x: FloatTensor<Self>, _: &usize) -> FloatTensor<Self> {
        x
    }
}
