//! Recording one call.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::{
    backend::{Autodiff, AutodiffDevice},
    graph::{AnyGrad, Edge, Form, GradType, InputEdges, Node, Recorded, State, StepFn},
    inner::{Inner, unfailing},
    inputs::{Describe, Differentiable, NoFloats},
    saved::{Again, Saved},
    step::Step,
    tensor::{AutodiffTensor, Checkpointing},
};
use crate::{
    backend::{Device, PlainBackend},
    error::BackwardError,
    ops::FloatOps,
    routing::{Routed, RoutedRef, Visit, Visitor},
};

/// One call of an op on [`Autodiff<B>`].
pub struct Tape<B> {
    op: &'static str,
    tracked: bool,
    pub(super) inner: Inner<B>,
}

impl<B: PlainBackend> Tape<B> {
    /// A call of the op with this name.
    #[inline]
    pub fn new(op: &'static str) -> Self {
        Self { op, tracked: false, inner: Inner::new(Checkpointing::Off) }
    }

    /// Looks at an argument, and says whether a gradient flows through it.
    #[inline]
    pub fn watch(&mut self, argument: &(impl Visit<Autodiff<B>> + ?Sized)) -> bool {
        let mut watch = Watch { tracked: false, checkpointing: self.inner.checkpointing };
        argument.visit(&mut watch);
        self.inner.checkpointing = watch.checkpointing;
        self.tracked |= watch.tracked;
        watch.tracked
    }

    /// Whether a gradient flows through one of the arguments.
    #[inline]
    pub fn is_tracked(&self) -> bool {
        self.tracked
    }

    /// Takes an argument to the backend inside.
    #[inline]
    pub fn lower<T: Routed<Inner<B>>>(&self, value: T) -> T::Lowered {
        unfailing(value.lower(&self.inner))
    }

    /// Takes a borrowed argument to the backend inside.
    #[inline]
    pub fn lower_ref<'a, T: RoutedRef<Inner<B>> + ?Sized>(&self, value: &'a T) -> T::Guard<'a> {
        unfailing(value.lower_ref(&self.inner))
    }

    /// Brings a result back, as one that carries no gradient yet.
    #[inline]
    pub fn lift<T: Routed<Inner<B>>>(&self, lowered: T::Lowered) -> T {
        T::lift(lowered, &self.inner)
    }

    /// Looks at an argument that holds no floats.
    #[inline]
    pub fn pass(&mut self, argument: &(impl Visit<Autodiff<B>> + NoFloats + ?Sized)) {
        self.watch(argument);
    }

    /// The edges from an input to the nodes of its tensors.
    pub fn edges(&self, input: &(impl Visit<Autodiff<B>> + Differentiable + ?Sized)) -> InputEdges {
        let mut edges = InputEdges(SmallVec::new());
        input.visit(&mut edges);
        edges
    }

    /// A copy of an argument for the formulas, if one of them reads it.
    pub fn save<T: Visit<Autodiff<B>> + Clone>(&self, argument: &T, needed: bool) -> Option<Saved<T>> {
        needed.then(|| Saved::new::<B>(argument.clone()))
    }

    /// The metadata of an argument for the formulas, if one of them reads it.
    pub fn describe<T: Describe + ?Sized>(&self, argument: &T, needed: bool) -> Option<T::Metadata> {
        needed.then(|| argument.describe())
    }

    /// Whether the result is to be computed again instead of being kept.
    #[inline]
    pub fn is_balanced(&self) -> bool {
        self.tracked && self.inner.checkpointing == Checkpointing::Balanced
    }

    /// Attaches the call to its result, which `again` can compute again.
    pub fn record<T, F>(
        self,
        output: &mut T,
        edges: impl IntoIterator<Item = InputEdges>,
        again: Option<Again>,
        mut step: F,
    ) where
        T: Visit<Autodiff<B>>,
        F: FnMut(&mut Step<'_, '_, B>) -> Result<(), BackwardError> + Send + 'static,
    {
        let step: StepFn = Box::new(move |raw| step(&mut Step::new(raw)));
        let recorded = State::Live(Recorded { step, edges: edges.into_iter().collect() });
        attach::<B, T>(self.op, output, again, recorded);
    }

    /// Attaches a call that is not differentiable: walking back to it is an error that names the op and the first input
    /// through which a gradient would flow.
    pub fn refuse<T: Visit<Autodiff<B>>>(self, output: &mut T, tracked: &[(&'static str, bool)]) {
        let Some(&(argument, _)) = tracked.iter().find(|(_, tracked)| *tracked) else {
            return;
        };
        let op = self.op;
        self.record(output, [], None, move |_| Err(BackwardError::NotDifferentiable { op, argument }));
    }
}

struct Watch {
    tracked: bool,
    checkpointing: Checkpointing,
}

impl<B: PlainBackend> Visitor<Autodiff<B>> for Watch {
    #[inline]
    fn float(&mut self, tensor: &AutodiffTensor<B>) {
        self.tracked |= tensor.is_tracked();
        if tensor.checkpointing == Checkpointing::Balanced {
            self.checkpointing = Checkpointing::Balanced;
        }
    }

    #[inline]
    fn device(&mut self, device: &AutodiffDevice<Device<B>>) {
        if device.checkpointing() == Checkpointing::Balanced {
            self.checkpointing = Checkpointing::Balanced;
        }
    }
}

impl<B: PlainBackend> Visitor<Autodiff<B>> for InputEdges {
    fn float(&mut self, tensor: &AutodiffTensor<B>) {
        self.0.push(tensor.node.clone().map(|node| Edge { node, slot: 0 }));
    }
}

/// Gives the floats of a result their nodes. A result with one float is the node of its op; of several, each is a node
/// that passes its gradient on to a slot of the op's.
fn attach<B: PlainBackend, T: Visit<Autodiff<B>>>(
    op: &'static str,
    output: &mut T,
    again: Option<Again>,
    recorded: State,
) {
    let mut floats = 0;
    let mut form = None;
    output.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
        floats += 1;
        form = Some(Form::of(tensor));
    });
    if floats == 0 {
        return;
    }
    let form = form.filter(|_| floats == 1);
    let node = Node::new(op, form, grad_type::<B>(), again.map(Again::into_parts), recorded);
    attach_slots(&node, output, floats);
}

pub(super) fn attach_slots<B: PlainBackend, T: Visit<Autodiff<B>>>(
    node: &Arc<Node>,
    output: &mut T,
    floats: usize,
) {
    let mut slot = 0;
    output.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
        tensor.node = Some(if floats == 1 { node.clone() } else { slot_node::<B>(node, slot, tensor) });
        slot += 1;
    });
}

fn slot_node<B: PlainBackend>(node: &Arc<Node>, slot: usize, tensor: &AutodiffTensor<B>) -> Arc<Node> {
    let edge = Edge { node: node.clone(), slot };
    let step: StepFn = Box::new(|raw| {
        let grad = raw.slots[0].take().expect("a node is walked when its gradient has arrived");
        let edge = raw.next_input()[0].as_ref().expect("a slot has its op's node");
        raw.send_unchecked(edge, grad);
        Ok(())
    });
    let recorded = Recorded { step, edges: smallvec![InputEdges(smallvec![Some(edge)])] };
    Node::new(node.op, Some(Form::of(tensor)), grad_type::<B>(), None, State::Live(recorded))
}

/// How the walk handles gradients of backend `B`.
pub(super) fn grad_type<B: PlainBackend>() -> &'static GradType {
    fn of<B: PlainBackend>(grad: AnyGrad) -> AutodiffTensor<B> {
        *grad.downcast().expect("a node's gradients are of its own backend")
    }
    &GradType {
        add: |lhs, rhs| Box::new(<Autodiff<B> as FloatOps>::float_add(of::<B>(lhs), of::<B>(rhs))),
        copy: |grad| {
            let grad: &AutodiffTensor<B> =
                grad.downcast_ref().expect("a node's gradients are of its own backend");
            Box::new(grad.clone())
        },
        detach: |grad| Box::new(of::<B>(grad).detach()),
    }
}
