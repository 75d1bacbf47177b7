//! Gradients of some tensors in others.

use opswitch_core::{
    AutodiffOps, BackwardError, BackwardOptions, Float, GradientSource, GradientTarget, Gradients,
    gradients_between,
};

use crate::Tensor;

/// A backward pass from some tensors to others, of any ranks and on any backends: only what lies between them is walked.
///
/// A tensor that it goes to may be the result of an op, and need not require a gradient as long as it is tracked.
///
/// ```
/// use opswitch::{BackwardOptions, Device, Dispatch, Grad, Tensor};
///
/// let device: Device<Dispatch> = "autodiff(cpu)".parse()?;
/// let x = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
/// let hidden = &x * &x;
/// let loss = (&hidden * 3.0).sum();
///
/// let gradients = Grad::new().of(&loss).with_respect_to(&hidden).compute(BackwardOptions::default())?;
/// assert_eq!(hidden.grad(&gradients).unwrap().to_string(), "[3. 3.]");
/// assert!(x.grad(&gradients).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is walked before `compute`"]
pub struct Grad {
    parts: Result<Parts, BackwardError>,
}

#[derive(Debug, Default)]
struct Parts {
    sources: Vec<GradientSource>,
    targets: Vec<GradientTarget>,
}

impl Grad {
    /// A pass from nothing to nothing.
    pub fn new() -> Self {
        Self { parts: Ok(Parts::default()) }
    }

    /// Starts at this tensor, which has one element, with the gradient 1.
    pub fn of<const D: usize, B: AutodiffOps>(self, tensor: &Tensor<D, Float, B>) -> Self {
        self.from(tensor, None)
    }

    /// Starts at this tensor with `seed` as its gradient.
    pub fn of_seeded<const D: usize, B: AutodiffOps>(
        self,
        tensor: &Tensor<D, Float, B>,
        seed: Tensor<D, Float, B>,
    ) -> Self {
        self.from(tensor, Some(seed))
    }

    fn from<const D: usize, B: AutodiffOps>(
        self,
        tensor: &Tensor<D, Float, B>,
        seed: Option<Tensor<D, Float, B>>,
    ) -> Self {
        self.and(|parts| {
            let source = B::gradient_source(tensor.primitive().clone(), seed.map(Tensor::into_primitive))?;
            parts.sources.push(source);
            Ok(())
        })
    }

    /// Gives the gradient of this tensor.
    pub fn with_respect_to<const D: usize, B: AutodiffOps>(self, tensor: &Tensor<D, Float, B>) -> Self {
        self.and(|parts| {
            parts.targets.push(B::gradient_target(tensor.primitive())?);
            Ok(())
        })
    }

    fn and(self, add: impl FnOnce(&mut Parts) -> Result<(), BackwardError>) -> Self {
        let parts = self.parts.and_then(|mut parts| {
            add(&mut parts)?;
            Ok(parts)
        });
        Self { parts }
    }

    /// Walks back, and keeps what the options say. [`Tensor::grad`] finds a gradient in the result; there is none for a tensor on
    /// which nothing depends that the pass starts at.
    ///
    /// # Errors
    ///
    /// If a tensor is not tracked, one without a seed has several elements, a seed has another shape or type, an op on the way is
    /// not differentiable, or an earlier pass has freed the graph.
    pub fn compute(self, options: BackwardOptions) -> Result<Gradients, BackwardError> {
        let Parts { sources, targets } = self.parts?;
        gradients_between(sources, targets, options)
    }
}

impl Default for Grad {
    fn default() -> Self {
        Self::new()
    }
}
