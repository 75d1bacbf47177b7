//! The result of a backward pass.

use std::collections::HashMap;

use super::{
    graph::{AnyGrad, Node},
    tensor::AutodiffTensor,
};
use crate::backend::PlainBackend;

/// The gradients of a backward pass, by tensor.
///
/// There is one for each tensor on which `require_grad` was called and that the result depends on.
#[derive(Default)]
pub struct Gradients {
    by_node: HashMap<u64, AnyGrad>,
}

impl Gradients {
    /// The number of tensors with a gradient.
    pub fn len(&self) -> usize {
        self.by_node.len()
    }

    /// Whether no tensor has a gradient.
    pub fn is_empty(&self) -> bool {
        self.by_node.is_empty()
    }

    /// The gradient of a tensor; `None` if the result does not depend on it, or it does not require one.
    ///
    /// It is tracked itself after a pass with `create_graph`.
    pub fn get<B: PlainBackend>(&self, tensor: &AutodiffTensor<B>) -> Option<&AutodiffTensor<B>> {
        let node = tensor.node.as_ref()?;
        self.by_node.get(&node.id)?.downcast_ref()
    }

    /// Takes the gradient of a tensor out.
    pub fn remove<B: PlainBackend>(&mut self, tensor: &AutodiffTensor<B>) -> Option<AutodiffTensor<B>> {
        let node = tensor.node.as_ref()?;
        let grad = self.by_node.remove(&node.id)?;
        grad.downcast().ok().map(|grad| *grad)
    }

    /// Keeps the gradient of a node that it is asked for.
    pub(super) fn keep(&mut self, node: &Node, grad: &AnyGrad) {
        self.by_node.insert(node.id, (node.grads.copy)(grad));
    }
}

impl std::fmt::Debug for Gradients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gradients of {} tensors", self.len())
    }
}
