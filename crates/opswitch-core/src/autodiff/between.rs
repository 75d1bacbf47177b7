//! Gradients of some tensors in others.

use std::{collections::HashSet, sync::Arc};

use super::{
    gradients::Gradients,
    graph::{AnyGrad, Edge, Node},
    ops::{AutodiffOps, BackwardOptions},
    scope::Scope,
    walk::walk,
};
use crate::{backend::FloatTensor, error::BackwardError};

/// A tensor that a backward pass starts from, with its gradient; [`AutodiffOps::gradient_source`] makes it.
///
/// It keeps the graph behind the tensor, but not the tensor.
pub struct GradientSource {
    pub(super) node: Arc<Node>,
    pub(super) seed: AnyGrad,
}

impl GradientSource {
    pub(super) fn into_root(self, options: BackwardOptions) -> (Edge, AnyGrad) {
        let Self { node, seed } = self;
        let seed = if options.create_graph { seed } else { (node.grads.detach)(seed) };
        (Edge { node, slot: 0 }, seed)
    }
}

/// A tensor whose gradient is asked for; [`AutodiffOps::gradient_target`] makes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct GradientTarget {
    pub(super) node: u64,
}

impl std::fmt::Debug for GradientSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GradientSource").field("node", &self.node).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for GradientTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GradientTarget #{}", self.node)
    }
}

/// The gradients of the sum of `sources`, each times its seed, in `targets`, which may be on several backends of a dispatch. Only
/// ops that lie between the two are walked, and freed unless the options keep the graph.
///
/// [`AutodiffOps::gradient`] finds the gradient of a tensor in the result. A target on which no source depends has none.
///
/// # Errors
///
/// If an op on the way is not differentiable, or an earlier pass has freed the graph.
pub fn gradients_between(
    sources: impl IntoIterator<Item = GradientSource>,
    targets: impl IntoIterator<Item = GradientTarget>,
    options: BackwardOptions,
) -> Result<Gradients, BackwardError> {
    let sources: Vec<GradientSource> = sources.into_iter().collect();
    let targets: HashSet<u64> = targets.into_iter().map(|target| target.node).collect();
    let scope = Scope::between(sources.iter().map(|source| &source.node), targets);
    walk(sources.into_iter().map(|source| source.into_root(options)), &scope, options)
}

/// The gradients of `outputs` in `inputs`, in the order of these: `None` for an input on which no output depends. Each output has
/// a seed; left out for a tensor with one element, it is 1.
///
/// An input may be the result of an op, and need not require a gradient as long as it is tracked. Nothing but what lies between
/// inputs and outputs is walked.
///
/// # Errors
///
/// If an output or an input is not tracked, a seed does not fit, an op on the way is not differentiable, or an earlier pass has
/// freed the graph.
pub fn grad<B: AutodiffOps>(
    outputs: impl IntoIterator<Item = (FloatTensor<B>, Option<FloatTensor<B>>)>,
    inputs: &[FloatTensor<B>],
    options: BackwardOptions,
) -> Result<Vec<Option<FloatTensor<B>>>, BackwardError> {
    let sources = outputs.into_iter().map(|(output, seed)| B::gradient_source(output, seed));
    let sources: Vec<GradientSource> = sources.collect::<Result<_, _>>()?;
    let targets: Vec<GradientTarget> = inputs.iter().map(B::gradient_target).collect::<Result<_, _>>()?;
    let gradients = gradients_between(sources, targets, options)?;
    inputs.iter().map(|input| Ok(B::gradient(input, &gradients)?)).collect()
}
