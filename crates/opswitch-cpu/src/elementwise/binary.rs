//! Ops of two tensors, which broadcast.

use std::sync::Arc;

use opswitch_core::{Element, OrRaise, check_same_type, layout::Layout, shape::broadcast};

use super::unary::{narrowed, widened};
use crate::{
    element::{Real, for_real},
    parallel,
    plan::Plan,
    tensor::CpuTensor,
};

/// A function of two floats, in whichever type it is computed.
pub(crate) trait Binary: Copy + Send + Sync {
    /// The work in units of an addition.
    const WORK: usize;

    fn apply<R: Real>(self, lhs: R, rhs: R) -> R;
}

/// `f` of every pair of elements of two float tensors.
#[track_caller]
pub(crate) fn arithmetic<F: Binary>(op: &'static str, f: F, lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
    check_same_type(op, &lhs, &rhs);
    let dtype = lhs.element_type();
    let (lhs, rhs) = (widened(lhs), widened(rhs));
    let result = for_real!(op, lhs.element_type(), |E| {
        zip_in_place::<E>(op, lhs, rhs, F::WORK, move |lhs, rhs| f.apply(lhs, rhs))
    });
    narrowed(result, dtype)
}

/// `f` of every pair of elements in a new vector.
#[track_caller]
pub(crate) fn zip<A: Element, B: Element, O: Element>(
    op: &'static str,
    lhs: &CpuTensor,
    rhs: &CpuTensor,
    f: impl Fn(A, B) -> O + Copy + Sync,
) -> CpuTensor {
    let pair = Pair::new(op, lhs.clone(), rhs.clone());
    CpuTensor::placed(zip_values(&pair, 1, f), pair.layout)
}

/// `f` of every pair of elements, in the vector of an input that has the result's layout and no other handle, the
/// left one first.
#[track_caller]
pub(crate) fn zip_in_place<E: Element>(
    op: &'static str,
    lhs: CpuTensor,
    rhs: CpuTensor,
    work: usize,
    f: impl Fn(E, E) -> E + Copy + Sync,
) -> CpuTensor {
    let mut pair = Pair::new(op, lhs, rhs);
    if let Some(values) = pair.lhs.reusable(&pair.layout) {
        update::<E, E, 1>(&pair.plan, values, pair.rhs.values(), work, f);
        return pair.lhs;
    }
    if let Some(values) = pair.rhs.reusable(&pair.layout) {
        update::<E, E, 0>(&pair.plan, values, pair.lhs.values(), work, move |rhs, lhs| f(lhs, rhs));
        return pair.rhs;
    }
    CpuTensor::placed(zip_values(&pair, work, f), pair.layout)
}

/// Two tensors that broadcast, the loops over them, and the layout of the result.
///
/// In the innermost loop the elements of each are neighbours, or one element is repeated.
pub(super) struct Pair {
    pub(super) lhs: CpuTensor,
    pub(super) rhs: CpuTensor,
    pub(super) plan: Plan<2>,
    pub(super) layout: Arc<Layout>,
}

impl Pair {
    #[track_caller]
    pub(super) fn new(op: &'static str, lhs: CpuTensor, rhs: CpuTensor) -> Self {
        if lhs.layout().is_dense_like(rhs.layout()) {
            let offsets = [lhs.layout().offset(), rhs.layout().offset()];
            let (plan, layout) = (Plan::flat(lhs.layout().num_elements(), offsets), lhs.layout().at_start());
            return Self { lhs, rhs, plan, layout };
        }
        let shape = broadcast(op, lhs.layout().shape(), rhs.layout().shape()).or_raise();
        let (lhs, rhs) = (lhs.walkable(), rhs.walkable());
        let inputs = [lhs.layout(), rhs.layout()];
        let plan = Plan::new(&shape, inputs.map(|layout| &**layout));
        let like = inputs.into_iter().find(|layout| layout.is_contiguous() && *layout.shape() == shape);
        let layout = like.map_or_else(|| Arc::new(Layout::contiguous(shape)), Layout::at_start);
        Self { lhs, rhs, plan, layout }
    }
}

fn zip_values<A: Element, B: Element, O: Element>(
    pair: &Pair,
    work: usize,
    f: impl Fn(A, B) -> O + Copy + Sync,
) -> Vec<O> {
    let (lhs, rhs) = (pair.lhs.values::<A>(), pair.rhs.values::<B>());
    let by_one = pair.plan.inner_strides().map(|stride| stride == 1);
    parallel::collect(pair.layout.num_elements(), 1, work, |range, sink| {
        let own = f;
        pair.plan.runs(range, |len, [left, right]| match by_one {
            [true, true] => {
                let pairs = lhs[left..left + len].iter().zip(&rhs[right..right + len]);
                sink.extend(pairs.map(|(&lhs, &rhs)| own(lhs, rhs)));
            }
            [true, false] => {
                let rhs = rhs[right];
                sink.extend(lhs[left..left + len].iter().map(|&lhs| own(lhs, rhs)));
            }
            [false, true] => {
                let lhs = lhs[left];
                sink.extend(rhs[right..right + len].iter().map(|&rhs| own(lhs, rhs)));
            }
            [false, false] => sink.extend(std::iter::repeat_n(own(lhs[left], rhs[right]), len)),
        });
    })
}

/// Replaces each of `values` by `f` of it and its partner among the elements `other`, which are the plan's tensor
/// `OTHER`.
pub(super) fn update<E: Element, B: Element, const OTHER: usize>(
    plan: &Plan<2>,
    values: &mut [E],
    other: &[B],
    work: usize,
    f: impl Fn(E, B) -> E + Copy + Sync,
) {
    let by_one = plan.inner_strides()[OTHER] == 1;
    parallel::for_chunks(values, 1, work, |first, chunk| {
        let own = f;
        let range = first..first + chunk.len();
        let mut rest = chunk;
        plan.runs(range, |len, starts| {
            let (run, tail) = std::mem::take(&mut rest).split_at_mut(len);
            rest = tail;
            let start = starts[OTHER];
            if by_one {
                for (value, &other) in run.iter_mut().zip(&other[start..start + len]) {
                    *value = own(*value, other);
                }
            } else {
                let other = other[start];
                for value in run {
                    *value = own(*value, other);
                }
            }
        });
    });
}
