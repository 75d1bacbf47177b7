//! The backward pass: one walk from the last op to the first.

use std::{collections::BTreeMap, sync::Arc};

use smallvec::{SmallVec, smallvec};

use super::{
    gradients::Gradients,
    graph::{AnyGrad, Edge, Form, InputEdges, Node, Recorded, State},
    ops::BackwardOptions,
    scope::Scope,
};
use crate::{error::BackwardError, trace::OpSpan};

/// The gradients that have arrived at a node, one slot an output.
struct Arrived {
    node: Arc<Node>,
    slots: SmallVec<[Option<AnyGrad>; 1]>,
}

/// The nodes that have gradients and are still to be walked, by id.
type Pending = BTreeMap<u64, Arrived>;

/// Walks back from `roots`, each with its gradient, through what is in scope.
///
/// A node has a higher id than its inputs, so by the time that it is the highest pending one, every gradient has
/// arrived. Each node is freed as it is passed, unless the options keep the graph.
pub(super) fn walk(
    roots: impl IntoIterator<Item = (Edge, AnyGrad)>,
    scope: &Scope,
    options: BackwardOptions,
) -> Result<Gradients, BackwardError> {
    let mut pending = Pending::new();
    let mut gradients = Gradients::default();
    for (edge, seed) in roots {
        if scope.admits(&edge.node) {
            arrive(&mut pending, edge, seed);
        }
    }
    while let Some((_, Arrived { node, slots })) = pending.pop_last() {
        if scope.keeps(&node) {
            let grad = slots[0].as_ref().expect("a wanted tensor is the only output of its node");
            gradients.keep(&node, grad);
        }
        if !scope.passes(&node) {
            continue;
        }
        let _turn = (!options.keeps_graph()).then(|| Turn(&node));
        step(&node, slots, &mut pending, scope, options)?;
    }
    Ok(gradients)
}

/// Frees a node when its turn is over, also if its formula fails or panics: part of what it holds is used up then.
struct Turn<'a>(&'a Node);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.free();
    }
}

fn step(
    node: &Arc<Node>,
    slots: SmallVec<[Option<AnyGrad>; 1]>,
    pending: &mut Pending,
    scope: &Scope,
    options: BackwardOptions,
) -> Result<(), BackwardError> {
    match &mut *node.state() {
        State::Leaf => Ok(()),
        State::Freed => Err(BackwardError::Freed { op: node.op }),
        State::Live(Recorded { step, edges }) => {
            let _span = OpSpan::backward(node.op);
            step(&mut RawStep { node, slots, edges, next_input: 0, pending, scope, options })
        }
    }
}

/// Adds a gradient to those that have arrived at an output.
fn arrive(pending: &mut Pending, Edge { node, slot }: Edge, grad: AnyGrad) {
    let add = node.grads.add;
    let arrived = pending.entry(node.id).or_insert_with(|| Arrived { node, slots: smallvec![None] });
    if arrived.slots.len() <= slot {
        arrived.slots.resize_with(slot + 1, || None);
    }
    let place = &mut arrived.slots[slot];
    *place = Some(match place.take() {
        Some(earlier) => add(earlier, grad),
        None => grad,
    });
}

/// One node's turn in the backward pass, without the types of its backend.
pub(super) struct RawStep<'a> {
    pub(super) node: &'a Arc<Node>,
    pub(super) slots: SmallVec<[Option<AnyGrad>; 1]>,
    edges: &'a [InputEdges],
    next_input: usize,
    pending: &'a mut Pending,
    scope: &'a Scope,
    pub(super) options: BackwardOptions,
}

impl<'a> RawStep<'a> {
    /// The edges of the next input, in the order in which they were recorded.
    pub(super) fn next_input(&mut self) -> &'a [Option<Edge>] {
        let InputEdges(edges) = &self.edges[self.next_input];
        self.next_input += 1;
        edges
    }

    /// Sends a gradient of this form along an edge.
    pub(super) fn send(
        &mut self,
        argument: &'static str,
        edge: &Edge,
        grad: AnyGrad,
        found: Form,
    ) -> Result<(), BackwardError> {
        let op = self.node.op;
        match &edge.node.form {
            Some(Form { shape, .. }) if *shape != found.shape => Err(BackwardError::GradientShape {
                op,
                argument,
                expected: shape.clone(),
                found: found.shape,
            }),
            Some(Form { dtype, .. }) if *dtype != found.dtype => {
                Err(BackwardError::GradientDType { op, argument, expected: *dtype, found: found.dtype })
            }
            _ => {
                self.send_unchecked(edge, grad);
                Ok(())
            }
        }
    }

    /// Sends a gradient along an edge of which the form is known to be right.
    pub(super) fn send_unchecked(&mut self, edge: &Edge, grad: AnyGrad) {
        if self.scope.admits(&edge.node) {
            arrive(self.pending, edge.clone(), grad);
        }
    }
}
