//! Ops of one tensor.

use opswitch_core::{DType, Element, for_dtype};

use crate::{
    element::{Float, Real, convert, for_float},
    parallel,
    tensor::CpuTensor,
};

/// A function of one float, in whichever type it is computed.
pub(crate) trait Unary: Copy + Send + Sync {
    /// The work in units of an addition.
    const WORK: usize;

    fn apply<R: Real>(self, x: R) -> R;
}

/// A question about one float.
pub(crate) trait Predicate: Copy + Send + Sync {
    fn holds<R: Real>(self, x: R) -> bool;
}

/// `f` of every element of a float tensor.
#[track_caller]
pub(crate) fn unary<F: Unary>(op: &'static str, f: F, x: CpuTensor) -> CpuTensor {
    for_float!(op, x.element_type(), |E| map_in_place::<E>(x, F::WORK, |x| E::narrow(f.apply(x.widen()))))
}

/// Whether the predicate holds for each element of a float tensor.
#[track_caller]
pub(crate) fn test<P: Predicate>(op: &'static str, predicate: P, x: &CpuTensor) -> CpuTensor {
    for_float!(op, x.element_type(), |E| map::<E, bool>(x, 1, |x| predicate.holds(x.widen())))
}

/// Every element converted.
pub(crate) fn cast(x: CpuTensor, dtype: DType) -> CpuTensor {
    if x.element_type() == dtype {
        return x;
    }
    let x = x.without_gaps();
    for_dtype!(x.element_type(), |E| for_dtype!(dtype, |T| {
        let values = x.dense::<E>();
        let converted = parallel::collect(values.len(), 1, 1, |range, sink| {
            sink.extend(values[range].iter().map(|&value| convert::<E, T>(value)));
        });
        CpuTensor::with_layout(converted, x.layout().at_start())
    }))
}

/// `f` of every element.
pub(crate) fn map<E: Element, O: Element>(
    x: &CpuTensor,
    work: usize,
    f: impl Fn(E) -> O + Sync,
) -> CpuTensor {
    let x = x.clone().without_gaps();
    let values = x.dense::<E>();
    let mapped = parallel::collect(values.len(), 1, work, |range, sink| {
        sink.extend(values[range].iter().map(|&value| f(value)));
    });
    CpuTensor::with_layout(mapped, x.layout().at_start())
}

/// `f` of every element, in the tensor's own vector if no other handle shares it.
pub(crate) fn map_in_place<E: Element>(x: CpuTensor, work: usize, f: impl Fn(E) -> E + Sync) -> CpuTensor {
    let mut x = x.without_gaps();
    let layout = x.layout().clone();
    match x.reusable::<E>(&layout) {
        Some(values) => parallel::for_chunks(values, 1, work, |_, chunk| {
            for value in chunk {
                *value = f(*value);
            }
        }),
        None => return map(&x, work, f),
    }
    x
}
