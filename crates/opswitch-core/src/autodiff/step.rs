//! One op's turn in the backward pass, with the types of its backend.

use std::marker::PhantomData;

use super::{
    backend::Autodiff,
    graph::{Edge, Form},
    saved::{Saved, SavedOutput},
    tape::attach_slots,
    tensor::AutodiffTensor,
    walk::RawStep,
};
use crate::{
    backend::PlainBackend,
    error::BackwardError,
    ops::FloatOps,
    routing::{Visit, Visitor},
};

/// One op's turn in the backward pass.
pub struct Step<'a, 'b, B> {
    raw: &'a mut RawStep<'b>,
    backend: PhantomData<B>,
}

impl<'a, 'b, B> Step<'a, 'b, B> {
    pub(super) fn new(raw: &'a mut RawStep<'b>) -> Self {
        Self { raw, backend: PhantomData }
    }
}

impl<B: PlainBackend> Step<'_, '_, B> {
    /// The gradient of the op's only float result.
    ///
    /// # Errors
    ///
    /// If it has several.
    ///
    /// # Panics
    ///
    /// Never: a node is walked when its gradient has arrived.
    pub fn grad(&mut self) -> Result<AutodiffTensor<B>, BackwardError> {
        if self.raw.node.form.is_none() {
            return Err(BackwardError::SeveralResults { op: self.raw.node.op });
        }
        let grad = self.raw.slots[0].take().expect("a node is walked when its gradient has arrived");
        Ok(*grad.downcast().expect("a node's gradients are of its own backend"))
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

    /// What [`Tape::save`](super::tape::Tape::save) kept.
    ///
    /// # Errors
    ///
    /// If an earlier pass has freed what it is computed from.
    pub fn restore<T: Visit<Autodiff<B>> + Clone>(
        &self,
        saved: &mut Option<Saved<T>>,
    ) -> Result<Option<T>, BackwardError> {
        let options = self.raw.options;
        let value = if options.keeps_graph() { saved.as_ref().map(Saved::copy) } else { saved.take() };
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
        let (mut output, floats) = saved.restore::<B>(self.raw.node)?;
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
            self.result = self.raw.send(self.argument, edge, Box::new(grad.clone()), Form::of(grad));
        }
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
