//! Ops of two tensors, which broadcast.

use std::sync::Arc;

use opswitch_core::{Element, OrRaise, shape::broadcast};

use crate::{
    element::{Float, Real, for_float},
    error::check_same_type,
    layout::{Layout, place},
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
    for_float!(op, lhs.element_type(), |E| {
        zip_in_place::<E>(op, lhs, rhs, F::WORK, |lhs, rhs| E::narrow(f.apply(lhs.widen(), rhs.widen())))
    })
}

/// `f` of every pair of elements in a new vector.
#[track_caller]
pub(crate) fn zip<A: Element, B: Element, O: Element>(
    op: &'static str,
    lhs: &CpuTensor,
    rhs: &CpuTensor,
    f: impl Fn(A, B) -> O + Sync,
) -> CpuTensor {
    let (plan, layout) = pair(op, lhs, rhs);
    let values = zip_values(&plan, layout.num_elements(), (lhs.values(), rhs.values()), 1, f);
    CpuTensor::with_layout(values, layout)
}

/// `f` of every pair of elements, in the vector of an input that has the result's layout and no other handle, the
/// left one first.
#[track_caller]
pub(crate) fn zip_in_place<E: Element>(
    op: &'static str,
    mut lhs: CpuTensor,
    mut rhs: CpuTensor,
    work: usize,
    f: impl Fn(E, E) -> E + Sync,
) -> CpuTensor {
    let (plan, layout) = pair(op, &lhs, &rhs);
    if let Some(values) = lhs.reusable(&layout) {
        update::<E, E, 1>(&plan, values, rhs.values(), work, &f);
        return lhs;
    }
    if let Some(values) = rhs.reusable(&layout) {
        update::<E, E, 0>(&plan, values, lhs.values(), work, |rhs, lhs| f(lhs, rhs));
        return rhs;
    }
    let values = zip_values(&plan, layout.num_elements(), (lhs.values(), rhs.values()), work, f);
    CpuTensor::with_layout(values, layout)
}

/// The loops over two tensors, and the layout of the result.
#[track_caller]
pub(super) fn pair(op: &'static str, lhs: &CpuTensor, rhs: &CpuTensor) -> (Plan<2>, Arc<Layout>) {
    let (left, right) = (lhs.layout(), rhs.layout());
    if left.is_dense_like(right) {
        return (Plan::flat(left.num_elements(), [left.offset(), right.offset()]), left.at_start());
    }
    let shape = broadcast(op, left.shape(), right.shape()).or_raise();
    let plan = Plan::new(&shape, [left, right]);
    let shared = [left, right].into_iter().find(|layout| layout.is_contiguous() && *layout.shape() == shape);
    (plan, shared.map_or_else(|| Arc::new(Layout::contiguous(shape)), Layout::at_start))
}

fn zip_values<A: Element, B: Element, O: Element>(
    plan: &Plan<2>,
    len: usize,
    (lhs, rhs): (&[A], &[B]),
    work: usize,
    f: impl Fn(A, B) -> O + Sync,
) -> Vec<O> {
    parallel::collect(len, 1, work, |range, sink| {
        plan.runs(range, |len, [left, right]| match plan.inner_strides() {
            [1, 1] => {
                let pairs = lhs[left..left + len].iter().zip(&rhs[right..right + len]);
                sink.extend(pairs.map(|(&lhs, &rhs)| f(lhs, rhs)));
            }
            [1, 0] => {
                let rhs = rhs[right];
                sink.extend(lhs[left..left + len].iter().map(|&lhs| f(lhs, rhs)));
            }
            [0, 1] => {
                let lhs = lhs[left];
                sink.extend(rhs[right..right + len].iter().map(|&rhs| f(lhs, rhs)));
            }
            [by_left, by_right] => {
                let at = |i| f(lhs[place(left, i, by_left)], rhs[place(right, i, by_right)]);
                sink.extend((0..len).map(at));
            }
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
    f: impl Fn(E, B) -> E + Sync,
) {
    parallel::for_chunks(values, 1, work, |first, chunk| {
        let mut rest = &mut *chunk;
        plan.runs(first..first + rest.len(), |len, starts| {
            let (run, tail) = std::mem::take(&mut rest).split_at_mut(len);
            rest = tail;
            let start = starts[OTHER];
            match plan.inner_strides()[OTHER] {
                1 => run.iter_mut().zip(&other[start..start + len]).for_each(|(value, &other)| {
                    *value = f(*value, other);
                }),
                0 => {
                    let other = other[start];
                    for value in run {
                        *value = f(*value, other);
                    }
                }
                stride => run.iter_mut().enumerate().for_each(|(i, value)| {
                    *value = f(*value, other[place(start, i, stride)]);
                }),
            }
        });
    });
}
