//! Tracking float tensors and walking back from them.

use opswitch_core::{
    AutodiffOps, BackwardError, BackwardOptions, DispatchBackend, Float, Gradients, OrRaise,
};

use super::Tensor;
use crate::Grad;

impl<const D: usize, B: AutodiffOps> Tensor<D, Float, B> {
    /// This tensor, tracked from here on: a backward pass will give its gradient.
    ///
    /// # Panics
    ///
    /// If the tensor is not on an autodiff device.
    #[track_caller]
    pub fn require_grad(self) -> Self {
        Self::wrap(B::require_grad(self.primitive).or_raise())
    }

    /// Whether a gradient flows through this tensor.
    pub fn is_tracked(&self) -> bool {
        B::is_tracked(&self.primitive)
    }

    /// The same value, cut off from the graph.
    pub fn detach(self) -> Self {
        Self::wrap(B::detach(self.primitive))
    }

    /// Walks back from this tensor, which has one element, and gives the gradients of the tensors that require one.
    ///
    /// ```
    /// use opswitch::{Device, Dispatch, Tensor};
    ///
    /// let device: Device<Dispatch> = "autodiff(cpu)".parse()?;
    /// let x = Tensor::<1>::from_floats([1.0, -2.0], &device).require_grad();
    /// let gradients = (&x * &x).sum().backward();
    /// assert_eq!(x.grad(&gradients).unwrap().to_string(), "[ 2. -4.]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// With the text of the [`BackwardError`] that [`try_backward`](Self::try_backward) gives.
    #[track_caller]
    pub fn backward(&self) -> Gradients {
        self.try_backward().or_raise()
    }

    /// Walks back from this tensor, which has one element.
    ///
    /// # Errors
    ///
    /// If the tensor has several elements or is not tracked, an op on the way is not differentiable, or an earlier pass
    /// has freed the graph.
    pub fn try_backward(&self) -> Result<Gradients, BackwardError> {
        self.backward_with(None, BackwardOptions::default())
    }

    /// Walks back from this tensor with `seed` as its gradient, and keeps what the options say. Without a seed it is 1, for
    /// a tensor with one element.
    ///
    /// # Errors
    ///
    /// Those of [`try_backward`](Self::try_backward), and if the seed has another shape.
    pub fn backward_with(
        &self,
        seed: Option<Self>,
        options: BackwardOptions,
    ) -> Result<Gradients, BackwardError> {
        B::backward(self.primitive.clone(), seed.map(Self::into_primitive), options)
    }

    /// The gradient of this tensor, which has one element, with respect to another one; `None` if it does not depend on it. For
    /// several tensors there is [`Grad`](crate::Grad).
    ///
    /// A penalty on a gradient, which is differentiated in turn:
    ///
    /// ```
    /// use opswitch::{BackwardOptions, Device, Dispatch, Tensor};
    ///
    /// let device: Device<Dispatch> = "autodiff(cpu)".parse()?;
    /// let x = Tensor::<1>::from_floats([2.0], &device).require_grad();
    /// let y = x.clone().powi_scalar(3).sum();
    /// let create = BackwardOptions { create_graph: true, ..BackwardOptions::default() };
    /// let slope = y.grad_with_respect_to(&x, create)?.expect("y is x³");
    /// let gradients = slope.square().sum().backward();
    /// // The derivative of (3x²)² is 36x³.
    /// assert_eq!(x.grad(&gradients).unwrap().to_string(), "[288.]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Grad::compute`](crate::Grad::compute).
    pub fn grad_with_respect_to<const I: usize>(
        &self,
        input: &Tensor<I, Float, B>,
        options: BackwardOptions,
    ) -> Result<Option<Tensor<I, Float, B>>, BackwardError> {
        let gradients = Grad::new().of(self).with_respect_to(input).compute(options)?;
        Ok(B::gradient(input.primitive(), &gradients)?.map(Tensor::wrap))
    }

    /// The gradient of this tensor; `None` if the result does not depend on it, or it does not require one.
    ///
    /// # Panics
    ///
    /// If the tensor is not on an autodiff device.
    #[track_caller]
    pub fn grad(&self, gradients: &Gradients) -> Option<Self> {
        B::gradient(&self.primitive, gradients).or_raise().map(Self::wrap)
    }
}

impl<const D: usize, B: DispatchBackend> Tensor<D, Float, B> {
    /// A plain tensor as one of the autodiff device around its device, with checkpointing off;
    /// [`to_device`](Self::to_device) takes it to one with another strategy.
    ///
    /// # Panics
    ///
    /// If it is one already, or the dispatch is declared without `Autodiff`.
    #[track_caller]
    pub fn from_inner(tensor: Self) -> Self {
        Self::wrap(B::from_inner(tensor.primitive).or_raise())
    }

    /// The plain tensor inside one of an autodiff device, cut off from the graph. A plain tensor stays as it is.
    pub fn inner(self) -> Self {
        Self::wrap(B::inner(self.primitive))
    }
}
