//! Starting and reading a backward pass.

use std::sync::atomic::Ordering;

use opswitch_macros::backend_extension;

use super::{
    backend::Autodiff,
    between::{GradientSource, GradientTarget},
    gradients::Gradients,
    graph::{Form, Node, State},
    scope::Scope,
    tape::grad_type,
    tensor::AutodiffTensor,
    walk::walk,
};
use crate::{
    backend::{Backend, FloatTensor, PlainBackend, TensorHandle},
    error::{BackwardError, DispatchError, DispatchErrorKind},
    ops::FloatOps,
};

/// What a backward pass keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackwardOptions {
    /// Track the pass itself, so that gradients can be differentiated. Keeps the graph too.
    pub create_graph: bool,
    /// Keep what the formulas need, so that the graph can be walked again.
    pub retain_graph: bool,
}

impl BackwardOptions {
    pub(super) fn keeps_graph(self) -> bool {
        self.create_graph || self.retain_graph
    }
}

/// Tracking float tensors and walking back from them.
///
/// Plain backends refuse what needs a graph; [`Autodiff`] has it.
#[backend_extension(crate = crate)]
pub trait AutodiffOps: Backend {
    /// The tensor, tracked from here on: a backward pass will give its gradient. A tensor that an op made stays part of its
    /// graph.
    ///
    /// # Errors
    ///
    /// If the tensor is not on an autodiff device.
    fn require_grad(tensor: FloatTensor<Self>) -> Result<FloatTensor<Self>, DispatchError> {
        Err(not_autodiff::<Self>("AutodiffOps::require_grad", &tensor))
    }

    /// Whether a gradient flows through the tensor.
    fn is_tracked(tensor: &FloatTensor<Self>) -> bool {
        let _ = tensor;
        false
    }

    /// The same value, cut off from the graph.
    fn detach(tensor: FloatTensor<Self>) -> FloatTensor<Self> {
        tensor
    }

    /// Walks back from the tensor. `seed` is its gradient; left out for a tensor with one element, it is 1.
    ///
    /// # Errors
    ///
    /// If the tensor is not tracked, an op on the way is not differentiable, or an earlier pass has freed the graph.
    fn backward(
        tensor: FloatTensor<Self>,
        seed: Option<FloatTensor<Self>>,
        options: BackwardOptions,
    ) -> Result<Gradients, BackwardError> {
        let _ = (seed, options);
        Err(not_autodiff::<Self>("AutodiffOps::backward", &tensor).into())
    }

    /// The tensor as one that [`gradients_between`](super::gradients_between) starts from. `seed` is its gradient; left out for a
    /// tensor with one element, it is 1.
    ///
    /// # Errors
    ///
    /// If the tensor is not tracked, or the seed does not fit.
    fn gradient_source(
        tensor: FloatTensor<Self>,
        seed: Option<FloatTensor<Self>>,
    ) -> Result<GradientSource, BackwardError> {
        let _ = seed;
        Err(not_autodiff::<Self>("AutodiffOps::gradient_source", &tensor).into())
    }

    /// The tensor as one whose gradient [`gradients_between`](super::gradients_between) gives.
    ///
    /// # Errors
    ///
    /// If the tensor is not tracked.
    fn gradient_target(tensor: &FloatTensor<Self>) -> Result<GradientTarget, BackwardError> {
        Err(not_autodiff::<Self>("AutodiffOps::gradient_target", tensor).into())
    }

    /// The gradient of the tensor; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the tensor is not on an autodiff device.
    fn gradient(
        tensor: &FloatTensor<Self>,
        gradients: &Gradients,
    ) -> Result<Option<FloatTensor<Self>>, DispatchError> {
        let _ = gradients;
        Err(not_autodiff::<Self>("AutodiffOps::gradient", tensor))
    }
}

#[cold]
fn not_autodiff<B: Backend>(op: &'static str, tensor: &FloatTensor<B>) -> DispatchError {
    let device = tensor.device();
    let help = "make the tensor on an autodiff device, as `device.autodiff()` gives it";
    DispatchError::new(DispatchErrorKind::NotAutodiff { backend: B::NAME }, help)
        .at_op(op)
        .at_argument("tensor")
        .with_found(format_args!("a tensor of autodiff({device})"), format_args!("a tensor of {device}"))
}

#[backend_extension]
impl<B: PlainBackend> AutodiffOps for B {}

impl<B: PlainBackend> AutodiffOps for Autodiff<B> {
    fn require_grad(mut tensor: AutodiffTensor<B>) -> Result<AutodiffTensor<B>, DispatchError> {
        if let Some(node) = &tensor.node {
            node.wanted.store(true, Ordering::Relaxed);
        } else {
            let form = Some(Form::of(&tensor));
            tensor.node = Some(Node::new("require_grad", form, grad_type::<B>(), None, State::Leaf));
        }
        Ok(tensor)
    }

    fn is_tracked(tensor: &AutodiffTensor<B>) -> bool {
        tensor.is_tracked()
    }

    fn detach(tensor: AutodiffTensor<B>) -> AutodiffTensor<B> {
        tensor.detach()
    }

    fn backward(
        tensor: AutodiffTensor<B>,
        seed: Option<AutodiffTensor<B>>,
        options: BackwardOptions,
    ) -> Result<Gradients, BackwardError> {
        // The source does not hold the tensor's value, so that the walk can free it on the way.
        let root = Self::gradient_source(tensor, seed)?.into_root(options);
        walk([root], &Scope::Everything, options)
    }

    fn gradient_source(
        tensor: AutodiffTensor<B>,
        seed: Option<AutodiffTensor<B>>,
    ) -> Result<GradientSource, BackwardError> {
        let Some(node) = tensor.node.clone() else {
            return Err(BackwardError::Untracked);
        };
        let shape = tensor.shape();
        let seed = match seed {
            Some(seed) if seed.shape() != shape => {
                return Err(BackwardError::SeedShape { shape, seed: seed.shape() });
            }
            Some(seed) if seed.dtype() != tensor.dtype() => {
                return Err(BackwardError::SeedDType { dtype: tensor.dtype(), seed: seed.dtype() });
            }
            Some(seed) => seed,
            None if shape.num_elements() == 1 => Self::float_ones(shape, tensor.dtype(), &tensor.device()),
            None => return Err(BackwardError::NotScalar { shape }),
        };
        Ok(GradientSource { node, seed: Box::new(seed) })
    }

    fn gradient_target(tensor: &AutodiffTensor<B>) -> Result<GradientTarget, BackwardError> {
        match &tensor.node {
            Some(node) => Ok(GradientTarget { node: node.id }),
            None => Err(BackwardError::UntrackedInput),
        }
    }

    fn gradient(
        tensor: &AutodiffTensor<B>,
        gradients: &Gradients,
    ) -> Result<Option<AutodiffTensor<B>>, DispatchError> {
        Ok(gradients.get(tensor).cloned())
    }
}
