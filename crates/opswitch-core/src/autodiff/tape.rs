//! Recording one call, and giving its formulas what they read.

use std::{cell::RefCell, collections::HashMap, marker::PhantomData, sync::Arc};

use smallvec::{SmallVec, smallvec};

use super::{
    backend::{Autodiff, AutodiffDevice},
    graph::{AnyGrad, Edge, GradType, InputEdges, Node, Recipe, Recorded, State, StepFn},
    inputs::{Describe, Differentiable, NoFloats},
    tensor::{AutodiffTensor, Checkpointing, Untracked},
    walk::RawStep,
};
use crate::{
    backend::{Device, PlainBackend},
    error::{BackwardError, DispatchError},
    kind::TensorKind,
    ops::FloatOps,
    routing::{Route, Routed, RoutedRef, Visit, Visitor},
};

/// How many recipes in a row may stand between a value and one that is kept. It bounds both the work that is done twice
/// and the depth of the calls that do it.
const MAX_RECIPE_DEPTH: u32 = 8;

/// The route from [`Autodiff<B>`] to the backend inside.
pub struct Inner<B> {
    checkpointing: Checkpointing,
    backend: PhantomData<B>,
}

impl<B: PlainBackend> Route for Inner<B> {
    type Outer = Autodiff<B>;
    type Inner = B;
}

impl<B: PlainBackend> Routed<Inner<B>> for AutodiffTensor<B> {
    type Lowered = B::FloatTensor;

    #[inline]
    fn lower(self, _: &Inner<B>) -> Result<B::FloatTensor, DispatchError> {
        Ok(self.into_inner())
    }

    #[inline]
    fn lift(lowered: B::FloatTensor, route: &Inner<B>) -> Self {
        Self::constant(lowered, route.checkpointing)
    }

    #[inline]
    fn borrow_lowered(&self, _: &Inner<B>) -> Option<&B::FloatTensor> {
        Some(self.inner())
    }
}

impl<B: PlainBackend> Visit<Autodiff<B>> for AutodiffTensor<B> {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<Autodiff<B>>) {
        visitor.float(self);
    }

    #[inline]
    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut Self)) {
        change(self);
    }
}

impl<B: PlainBackend, K: TensorKind> Routed<Inner<B>> for Untracked<B, K> {
    type Lowered = K::Primitive<B>;

    #[inline]
    fn lower(self, _: &Inner<B>) -> Result<K::Primitive<B>, DispatchError> {
        Ok(self.into_inner())
    }

    #[inline]
    fn lift(lowered: K::Primitive<B>, _: &Inner<B>) -> Self {
        Self::new(lowered)
    }

    #[inline]
    fn borrow_lowered(&self, _: &Inner<B>) -> Option<&K::Primitive<B>> {
        Some(self.inner())
    }
}

impl<B: PlainBackend, K: TensorKind> Visit<Autodiff<B>> for Untracked<B, K> {}

impl<B: PlainBackend> Routed<Inner<B>> for AutodiffDevice<Device<B>> {
    type Lowered = Device<B>;

    #[inline]
    fn lower(self, _: &Inner<B>) -> Result<Device<B>, DispatchError> {
        Ok(self.into_inner())
    }

    #[inline]
    fn lift(lowered: Device<B>, route: &Inner<B>) -> Self {
        Self::new(lowered, route.checkpointing)
    }

    #[inline]
    fn borrow_lowered(&self, _: &Inner<B>) -> Option<&Device<B>> {
        Some(self.inner())
    }
}

impl<B: PlainBackend> Visit<Autodiff<B>> for AutodiffDevice<Device<B>> {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<Autodiff<B>>) {
        visitor.device(self);
    }
}

/// One call of an op on [`Autodiff<B>`].
pub struct Tape<B> {
    op: &'static str,
    tracked: bool,
    inner: Inner<B>,
}

impl<B: PlainBackend> Tape<B> {
    /// A call of the op with this name.
    #[inline]
    pub fn new(op: &'static str) -> Self {
        Self { op, tracked: false, inner: Inner { checkpointing: Checkpointing::Off, backend: PhantomData } }
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
        let step: StepFn = Box::new(move |raw| step(&mut Step { raw, backend: PhantomData }));
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

/// Lowering to the backend inside cannot fail: every tensor is on it.
#[inline]
fn unfailing<T>(lowered: Result<T, DispatchError>) -> T {
    match lowered {
        Ok(lowered) => lowered,
        Err(error) => unreachable!("an autodiff tensor is always on the backend inside: {error}"),
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
    let mut shape = None;
    output.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
        floats += 1;
        shape = Some(tensor.shape());
    });
    if floats == 0 {
        return;
    }
    let shape = shape.filter(|_| floats == 1);
    let node =
        Node::new(op, shape, grad_type::<B>(), again.map(|again| (again.recipe, again.depth)), recorded);
    attach_slots(&node, output, floats);
}

fn attach_slots<B: PlainBackend, T: Visit<Autodiff<B>>>(node: &Arc<Node>, output: &mut T, floats: usize) {
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
    Node::new(node.op, Some(tensor.shape()), grad_type::<B>(), None, State::Live(recorded))
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
    }
}

/// What a formula reads. Tensors that can be computed again are kept without their values.
pub struct Saved<T>(T);

impl<T> Saved<T> {
    fn new<B: PlainBackend>(mut value: T) -> Self
    where
        T: Visit<Autodiff<B>>,
    {
        value.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            let depth = tensor.node.as_ref().map_or(0, |node| node.recipe_depth);
            if (1..MAX_RECIPE_DEPTH).contains(&depth) {
                tensor.release();
            }
        });
        Self(value)
    }

    /// The value with every tensor in place, part of the graph or cut off from it.
    fn restore<B: PlainBackend>(mut self, tracked: bool) -> Result<T, BackwardError>
    where
        T: Visit<Autodiff<B>>,
    {
        let mut failed = None;
        self.0.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            if tensor.is_absent() {
                match compute_again(tensor) {
                    Ok(value) => tensor.refill(value),
                    Err(error) => failed = Some(error),
                }
            }
            if !tracked {
                tensor.node = None;
            }
        });
        failed.map_or(Ok(self.0), Err)
    }
}

fn compute_again<B: PlainBackend>(tensor: &AutodiffTensor<B>) -> Result<B::FloatTensor, BackwardError> {
    let node = tensor.node.as_ref().expect("a value is left out only if its node has a recipe");
    Recomputation::of(node.id, || {
        let recipe = node.recipe().ok_or(BackwardError::Freed { op: node.op })?;
        let value = recipe()?;
        Ok(*value.downcast::<B::FloatTensor>().expect("a recipe gives a tensor of its own backend"))
    })
}

thread_local! {
    /// What the recipes that run at the moment have computed, by node; `None` while none runs.
    static COMPUTED: RefCell<Option<HashMap<u64, AnyGrad>>> = const { RefCell::new(None) };
}

/// A recipe that runs for its own sake, and not for another's.
struct Recomputation;

impl Recomputation {
    /// Computes the value of a node. Recipes that share an argument compute it once: each op on `x` and `f(x)` would double
    /// the work else.
    fn of<T: Clone + Send + Sync + 'static>(
        node: u64,
        compute: impl FnOnce() -> Result<T, BackwardError>,
    ) -> Result<T, BackwardError> {
        if COMPUTED.with_borrow(Option::is_none) {
            COMPUTED.set(Some(HashMap::new()));
            let _ends = Self;
            return compute();
        }
        let known =
            COMPUTED.with_borrow(|computed| computed.as_ref()?.get(&node)?.downcast_ref::<T>().cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let value = compute()?;
        let kept = Box::new(value.clone());
        COMPUTED.with_borrow_mut(|computed| computed.as_mut().map(|computed| computed.insert(node, kept)));
        Ok(value)
    }
}

impl Drop for Recomputation {
    fn drop(&mut self) {
        drop(COMPUTED.take());
    }
}

/// How the result of an op is computed again.
pub struct Again {
    recipe: Recipe,
    depth: u32,
}

/// Collects the arguments from which the result of an op is computed again.
pub struct Arguments<'a, B> {
    tape: &'a Tape<B>,
    depth: u32,
}

impl<B: PlainBackend> Tape<B> {
    /// How to compute the result again, if it is not kept: `arguments` keeps what `compute` gets.
    pub fn again<A, F>(&self, arguments: impl FnOnce(&mut Arguments<'_, B>) -> A, compute: F) -> Option<Again>
    where
        A: Send + Sync + 'static,
        F: Fn(&A) -> Result<B::FloatTensor, BackwardError> + Send + Sync + 'static,
    {
        self.is_balanced().then(|| {
            let mut collected = Arguments { tape: self, depth: 0 };
            let kept = arguments(&mut collected);
            let depth = collected.depth + 1;
            Again { recipe: Arc::new(move || Ok(Box::new(compute(&kept)?) as AnyGrad)), depth }
        })
    }
}

impl<B: PlainBackend> Arguments<'_, B> {
    /// Keeps an argument.
    pub fn keep<T: Visit<Autodiff<B>> + Clone>(&mut self, argument: &T) -> KeptArgument<B, T> {
        let mut saved = Saved::new::<B>(argument.clone());
        saved.0.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            if let (true, Some(node)) = (tensor.is_absent(), &tensor.node) {
                self.depth = self.depth.max(node.recipe_depth);
            }
        });
        KeptArgument { saved, checkpointing: self.tape.inner.checkpointing, backend: PhantomData }
    }
}

/// An argument from which the result of an op is computed again.
pub struct KeptArgument<B, T> {
    saved: Saved<T>,
    checkpointing: Checkpointing,
    backend: PhantomData<fn() -> B>,
}

impl<B: PlainBackend, T: Routed<Inner<B>> + Visit<Autodiff<B>> + Clone> KeptArgument<B, T> {
    /// The argument on the backend inside.
    ///
    /// # Errors
    ///
    /// If a backward pass has freed what it is computed from.
    pub fn lowered(&self) -> Result<T::Lowered, BackwardError> {
        let value = Saved(self.saved.0.clone()).restore::<B>(false)?;
        Ok(unfailing(value.lower(&Inner { checkpointing: self.checkpointing, backend: PhantomData })))
    }
}

/// One op's turn in the backward pass.
pub struct Step<'a, 'b, B> {
    raw: &'a mut RawStep<'b>,
    backend: PhantomData<B>,
}

impl<B: PlainBackend> Step<'_, '_, B> {
    /// The gradient of the op's only float result.
    ///
    /// # Panics
    ///
    /// Never: a node is walked when its gradient has arrived.
    pub fn grad(&mut self) -> AutodiffTensor<B> {
        let grad = self.raw.slots[0].take().expect("a node is walked when its gradient has arrived");
        *grad.downcast().expect("a node's gradients are of its own backend")
    }

    /// The result with the gradient of each float in its place: zeros where none has arrived.
    ///
    /// # Errors
    ///
    /// If the result cannot be computed again.
    ///
    /// # Panics
    ///
    /// Never: the gradients of a node are of its own backend.
    pub fn grads<T: Visit<Autodiff<B>> + Clone>(
        &mut self,
        output: &SavedOutput<T>,
    ) -> Result<T, BackwardError> {
        let mut grads = self.restore_output(output)?;
        let mut slot = 0;
        grads.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            let arrived = self.raw.slots.get_mut(slot).and_then(Option::take);
            *tensor = match arrived {
                Some(grad) => *grad.downcast().expect("a node's gradients are of its own backend"),
                None => {
                    <Autodiff<B> as FloatOps>::float_zeros(tensor.shape(), tensor.dtype(), &tensor.device())
                }
            };
            slot += 1;
        });
        Ok(grads)
    }

    /// What [`Tape::save`] kept.
    ///
    /// # Errors
    ///
    /// If an earlier pass has freed what it is computed from.
    pub fn restore<T: Visit<Autodiff<B>> + Clone>(
        &self,
        saved: &mut Option<Saved<T>>,
    ) -> Result<Option<T>, BackwardError> {
        let options = self.raw.options;
        let value = if options.keeps_graph() {
            saved.as_ref().map(|saved| Saved(saved.0.clone()))
        } else {
            saved.take()
        };
        value.map(|value| value.restore::<B>(options.create_graph)).transpose()
    }

    /// The result, part of the graph if the pass is tracked.
    ///
    /// # Errors
    ///
    /// If an earlier pass has freed what it is computed from.
    pub fn restore_output<T: Visit<Autodiff<B>> + Clone>(
        &self,
        saved: &SavedOutput<T>,
    ) -> Result<T, BackwardError> {
        let mut output = saved.0.clone();
        let mut failed = None;
        let mut floats = 0;
        output.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            floats += 1;
            if tensor.is_absent() {
                tensor.node = Some(self.raw.node.clone());
                match compute_again(tensor) {
                    Ok(value) => tensor.refill(value),
                    Err(error) => failed = Some(error),
                }
                tensor.node = None;
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if self.raw.options.create_graph {
            attach_slots(self.raw.node, &mut output, floats);
        }
        Ok(output)
    }

    /// Fails if a gradient would flow through an input that is not differentiable.
    ///
    /// # Errors
    ///
    /// If one would.
    pub fn refuse(&self, argument: &'static str, tracked: bool) -> Result<(), BackwardError> {
        if tracked {
            Err(BackwardError::NotDifferentiable { op: self.raw.node.op, argument })
        } else {
            Ok(())
        }
    }

    /// Sends the gradient of the next input along its edges; `None` for an input that needs none.
    ///
    /// # Errors
    ///
    /// If the gradient does not have the form or the shapes of the input.
    pub fn give<I: PlainBackend, T: Visit<Autodiff<I>>>(
        &mut self,
        argument: &'static str,
        grad: Option<&T>,
    ) -> Result<(), BackwardError> {
        let edges = self.raw.next_input();
        let Some(grad) = grad else {
            return Ok(());
        };
        let mut give = Give { raw: self.raw, argument, edges, next: 0, result: Ok(()) };
        grad.visit(&mut give);
        let found = give.next;
        give.result?;
        if found == edges.len() {
            Ok(())
        } else {
            Err(BackwardError::GradientCount { op: self.raw.node.op, argument, expected: edges.len(), found })
        }
    }
}

struct Give<'a, 'b> {
    raw: &'a mut RawStep<'b>,
    argument: &'static str,
    edges: &'a [Option<Edge>],
    next: usize,
    result: Result<(), BackwardError>,
}

impl<I: PlainBackend> Visitor<Autodiff<I>> for Give<'_, '_> {
    fn float(&mut self, grad: &AutodiffTensor<I>) {
        let edge = self.edges.get(self.next);
        self.next += 1;
        if let (Some(Some(edge)), Ok(())) = (edge, &self.result) {
            self.result = self.raw.send(self.argument, edge, Box::new(grad.clone()), grad.shape());
        }
    }
}

/// The result of an op, without the graph: the node that keeps it is the op's own.
pub struct SavedOutput<T>(T);

impl<B: PlainBackend> Tape<B> {
    /// A copy of the result for the formulas, without the value if that is computed again.
    pub fn save_output<T: Visit<Autodiff<B>> + Clone>(
        &self,
        output: &T,
        again: Option<&Again>,
    ) -> SavedOutput<T> {
        let mut output = output.clone();
        output.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            tensor.node = None;
            if again.is_some() {
                tensor.release();
            }
        });
        SavedOutput(output)
    }
}

/// A value that was kept because this formula reads it.
///
/// # Panics
///
/// Never: the generated code keeps what the formulas of tracked inputs read.
#[inline]
pub fn kept<T>(value: Option<T>) -> T {
    value.expect("what the formula of a tracked input reads is kept")
}
