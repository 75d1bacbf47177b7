//! The graph: one node for each op that a gradient flows through.
//!
//! A node is reached from the tensors that its op made and from the nodes that read them. It owns the edges to its inputs
//! and what its formula needs, until a backward pass frees both. Nothing here recurses along the graph.

use std::{
    any::Any,
    cell::RefCell,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use smallvec::SmallVec;

use super::{tensor::AutodiffTensor, walk::RawStep};
use crate::{backend::PlainBackend, dtype::DType, error::BackwardError, shape::Shape};

/// A gradient of some backend: an `AutodiffTensor<B>` behind a pointer, since a graph may cross backends.
pub(super) type AnyGrad = Box<dyn Any + Send + Sync>;

/// What the walk does with the gradients of one backend.
pub(super) struct GradType {
    /// Adds two of them.
    pub(super) add: fn(AnyGrad, AnyGrad) -> AnyGrad,
    /// Copies the handle.
    pub(super) copy: fn(&AnyGrad) -> AnyGrad,
    /// Cuts one off from the graph.
    pub(super) detach: fn(AnyGrad) -> AnyGrad,
}

/// What an op does in the backward pass.
pub(super) type StepFn = Box<dyn FnMut(&mut RawStep<'_>) -> Result<(), BackwardError> + Send>;

/// Computes the result of an op again.
pub(super) type Recipe = Arc<dyn Fn() -> Result<AnyGrad, BackwardError> + Send + Sync>;

/// The edges from one input, one a float tensor in it; `None` where that tensor is not tracked.
pub struct InputEdges(pub(super) SmallVec<[Option<Edge>; 1]>);

/// Where the gradient of an input goes.
#[derive(Clone)]
pub(super) struct Edge {
    pub(super) node: Arc<Node>,
    /// Which output of the node the input was.
    pub(super) slot: usize,
}

/// What a tensor and its gradient have in common.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) shape: Shape,
    pub(super) dtype: DType,
}

impl Form {
    pub(super) fn of<B: PlainBackend>(tensor: &AutodiffTensor<B>) -> Self {
        Self { shape: tensor.shape(), dtype: tensor.dtype() }
    }
}

/// One op of the graph, or a tensor that asks for a gradient.
pub(crate) struct Node {
    /// Higher than the ids of all inputs.
    pub(super) id: u64,
    pub(super) op: &'static str,
    /// The form that a gradient has, for an op with one output.
    pub(super) form: Option<Form>,
    /// How gradients of the node's backend are handled.
    pub(super) grads: &'static GradType,
    /// Whether the gradient is asked for.
    pub(super) wanted: AtomicBool,
    /// How many recipes in a row compute this node's result; 0 without one.
    pub(super) recipe_depth: u32,
    recipe: Mutex<Option<Recipe>>,
    state: Mutex<State>,
}

/// What a node still holds.
pub(super) enum State {
    /// A tensor that was not made by an op.
    Leaf,
    /// An op that can be walked.
    Live(Recorded),
    /// An op that was walked.
    Freed,
}

/// What an op holds for the backward pass.
pub(super) struct Recorded {
    pub(super) step: StepFn,
    pub(super) edges: SmallVec<[InputEdges; 2]>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in a formula leaves the state as it was: nothing is half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Node {
    pub(super) fn new(
        op: &'static str,
        form: Option<Form>,
        grads: &'static GradType,
        recipe: Option<(Recipe, u32)>,
        state: State,
    ) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (recipe, recipe_depth) = recipe.map_or((None, 0), |(recipe, depth)| (Some(recipe), depth));
        Arc::new(Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            op,
            form,
            grads,
            wanted: AtomicBool::new(matches!(state, State::Leaf)),
            recipe_depth,
            recipe: Mutex::new(recipe),
            state: Mutex::new(state),
        })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The recipe for the node's result, unless a backward pass has freed it.
    pub(super) fn recipe(&self) -> Option<Recipe> {
        lock(&self.recipe).clone()
    }

    /// Drops what the node holds for the backward pass.
    pub(super) fn free(&self) {
        let recipe = lock(&self.recipe).take();
        let state = {
            let mut state = self.state();
            match &mut *state {
                State::Live(_) => std::mem::replace(&mut *state, State::Freed),
                State::Leaf | State::Freed => State::Freed,
            }
        };
        discard(Remains { _recipe: recipe, _state: state });
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.op, self.id)
    }
}

/// What is left of a node: dropping it may drop the last handle to others.
struct Remains {
    _recipe: Option<Recipe>,
    _state: State,
}

impl Drop for Node {
    fn drop(&mut self) {
        let recipe = self.recipe.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if recipe.is_some() || matches!(state, State::Live(_)) {
            discard(Remains { _recipe: recipe, _state: std::mem::replace(state, State::Freed) });
        }
    }
}

thread_local! {
    /// What is still to be dropped on this thread; `None` while nothing is.
    static REMAINS: RefCell<Option<Vec<Remains>>> = const { RefCell::new(None) };
}

/// Drops the remains of a node. The nodes that die of it queue up instead of nesting, so that a long chain does not
/// overflow the stack.
fn discard(remains: Remains) {
    let mut remains = Some(remains);
    let first = REMAINS.try_with(|queue| match &mut *queue.borrow_mut() {
        Some(queue) => {
            queue.extend(remains.take());
            false
        }
        queue @ None => {
            *queue = Some(Vec::new());
            true
        }
    });
    // While the thread is torn down there is no queue; `remains` is dropped here then.
    let Ok(true) = first else { return };
    while let Some(next) = remains.take() {
        drop(next);
        remains = REMAINS.with(|queue| queue.borrow_mut().as_mut().and_then(Vec::pop));
    }
    REMAINS.with(|queue| *queue.borrow_mut() = None);
}
