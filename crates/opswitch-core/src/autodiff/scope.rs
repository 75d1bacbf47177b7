//! What a backward pass walks, and whose gradients it keeps.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, atomic::Ordering},
};

use super::graph::{Edge, Node, Recorded, State};

/// The part of a graph that a backward pass is about.
pub(super) enum Scope {
    /// Everything, for the tensors that require a gradient.
    Everything,
    /// What lies between the results and some tensors, for these.
    Between {
        /// The nodes of the tensors.
        targets: HashSet<u64>,
        /// The nodes through which a gradient reaches one of them.
        passed: HashSet<u64>,
    },
}

impl Scope {
    /// What lies between the nodes `roots` and the nodes `targets`.
    ///
    /// Ids grow along the graph, so that nothing older than the oldest target leads to one, and a node is decided when those
    /// before it are. An op that was walked and freed, or is not differentiable, has no edges left to tell: a walk that meets
    /// it says so.
    pub(super) fn between<'a>(roots: impl Iterator<Item = &'a Arc<Node>>, targets: HashSet<u64>) -> Self {
        let oldest = targets.iter().copied().min().unwrap_or(u64::MAX);
        let mut inputs = BTreeMap::new();
        let mut pending: Vec<Arc<Node>> = roots.cloned().collect();
        while let Some(node) = pending.pop() {
            if node.id < oldest || inputs.contains_key(&node.id) {
                continue;
            }
            let nodes = input_nodes(&node);
            inputs.insert(node.id, nodes.as_ref().map(|nodes| nodes.iter().map(|node| node.id).collect()));
            pending.extend(nodes.into_iter().flatten());
        }
        let mut passed = HashSet::new();
        for (id, inputs) in inputs {
            let leads = |inputs: Vec<u64>| {
                inputs.iter().any(|input| targets.contains(input) || passed.contains(input))
            };
            if inputs.is_none_or(leads) {
                passed.insert(id);
            }
        }
        Self::Between { targets, passed }
    }

    /// Whether the gradient of this node is kept.
    pub(super) fn keeps(&self, node: &Node) -> bool {
        match self {
            Self::Everything => node.wanted.load(Ordering::Relaxed),
            Self::Between { targets, .. } => targets.contains(&node.id),
        }
    }

    /// Whether the walk goes on to the inputs of this node.
    pub(super) fn passes(&self, node: &Node) -> bool {
        match self {
            Self::Everything => true,
            Self::Between { passed, .. } => passed.contains(&node.id),
        }
    }

    /// Whether a gradient is of use at this node.
    pub(super) fn admits(&self, node: &Node) -> bool {
        self.keeps(node) || self.passes(node)
    }
}

/// The nodes of the inputs; `None` where they are not known.
fn input_nodes(node: &Node) -> Option<Vec<Arc<Node>>> {
    match &*node.state() {
        State::Leaf => Some(Vec::new()),
        State::Freed => None,
        State::Live(Recorded { edges, .. }) => {
            let edges = edges.iter().flat_map(|edges| edges.0.iter().flatten());
            let nodes: Vec<_> = edges.map(|Edge { node, .. }| node.clone()).collect();
            // An op is recorded since an input is tracked. Without an edge to it, that input is not differentiable.
            (!nodes.is_empty()).then_some(nodes)
        }
    }
}
