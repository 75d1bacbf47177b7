//! What is kept for the formulas, and how what is not kept is computed again.

use std::{cell::RefCell, collections::HashMap, marker::PhantomData, sync::Arc};

use super::{
    backend::Autodiff,
    graph::{AnyGrad, Node, Recipe},
    inner::{Inner, unfailing},
    tape::Tape,
    tensor::{AutodiffTensor, Checkpointing},
};
use crate::{
    backend::PlainBackend,
    error::BackwardError,
    routing::{Routed, Visit},
};

/// How many recipes in a row may stand between a value and one that is kept. It bounds both the work that is done twice
/// and the depth of the calls that do it.
const MAX_RECIPE_DEPTH: u32 = 8;

/// What a formula reads. Tensors that can be computed again are kept without their values.
pub struct Saved<T>(T);

impl<T> Saved<T> {
    pub(super) fn new<B: PlainBackend>(mut value: T) -> Self
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

    /// A copy of what is kept, for a pass that keeps the graph.
    pub(super) fn copy(&self) -> Self
    where
        T: Clone,
    {
        Self(self.0.clone())
    }

    /// The value with every tensor in place, part of the graph or cut off from it.
    pub(super) fn restore<B: PlainBackend>(mut self, tracked: bool) -> Result<T, BackwardError>
    where
        T: Visit<Autodiff<B>>,
    {
        let mut failed = None;
        self.0.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            if let (true, Some(node)) = (tensor.is_absent(), &tensor.node) {
                match compute_again::<B>(node) {
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

fn compute_again<B: PlainBackend>(node: &Arc<Node>) -> Result<B::FloatTensor, BackwardError> {
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

impl Again {
    /// The recipe, and how many stand between its result and a value that is kept.
    pub(super) fn into_parts(self) -> (Recipe, u32) {
        (self.recipe, self.depth)
    }
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
        let value = self.saved.copy().restore::<B>(false)?;
        Ok(unfailing(value.lower(&Inner::new(self.checkpointing))))
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

impl<T> SavedOutput<T> {
    /// The value, cut off from the graph, and how many floats there are. `node` is the op's own.
    pub(super) fn restore<B: PlainBackend>(&self, node: &Arc<Node>) -> Result<(T, usize), BackwardError>
    where
        T: Visit<Autodiff<B>> + Clone,
    {
        let mut output = self.0.clone();
        let mut failed = None;
        let mut floats = 0;
        output.visit_floats_mut(&mut |tensor: &mut AutodiffTensor<B>| {
            floats += 1;
            if tensor.is_absent() {
                match compute_again::<B>(node) {
                    Ok(value) => tensor.refill(value),
                    Err(error) => failed = Some(error),
                }
            }
        });
        failed.map_or(Ok((output, floats)), Err)
    }
}
