//! Choosing between elements by a mask.

use opswitch_core::{
    DType, Element, OpError, OrRaise, check_same_type, layout::place, raise, shape::broadcast,
};

use super::binary::{Pair, update};
use crate::{parallel, plan::Plan, tensor::CpuTensor};

/// `value` where the mask is `true`, `x` elsewhere; all three broadcast.
#[track_caller]
pub(crate) fn mask_where<E: Element>(
    op: &'static str,
    x: CpuTensor,
    mask: &CpuTensor,
    value: CpuTensor,
) -> CpuTensor {
    check_same_type(op, &x, &value);
    check_mask(op, mask);
    let shape = broadcast(op, x.layout().shape(), mask.layout().shape()).or_raise();
    let shape = broadcast(op, &shape, value.layout().shape()).or_raise();
    let plan = Plan::new(&shape, [x.layout(), mask.layout(), value.layout()]);
    let (old, mask, new) = (x.values::<E>(), mask.values::<bool>(), value.values::<E>());
    let values = parallel::collect(shape.num_elements(), 1, 1, |range, sink| {
        plan.runs(range, |len, [at_old, at_mask, at_new]| match plan.inner_strides() {
            [1, 1, 1] => {
                let pairs = old[at_old..at_old + len].iter().zip(&new[at_new..at_new + len]);
                let triples = mask[at_mask..at_mask + len].iter().zip(pairs);
                sink.extend(triples.map(|(&mask, (&old, &new))| if mask { new } else { old }));
            }
            [by_old, by_mask, by_new] => sink.extend((0..len).map(|i| {
                let (old, new) = (old[place(at_old, i, by_old)], new[place(at_new, i, by_new)]);
                if mask[place(at_mask, i, by_mask)] { new } else { old }
            })),
        });
    });
    CpuTensor::new(values, shape)
}

/// `value` where the mask is `true`, `x` elsewhere; the mask broadcasts with `x`.
#[track_caller]
pub(crate) fn mask_fill<E: Element>(op: &'static str, x: CpuTensor, mask: &CpuTensor, value: E) -> CpuTensor {
    check_mask(op, mask);
    let choose = move |x, mask| if mask { value } else { x };
    let mut pair = Pair::new(op, x, mask.clone());
    match pair.lhs.reusable::<E>(&pair.layout) {
        Some(values) => update::<E, bool, 1>(&pair.plan, values, pair.rhs.values(), 1, choose),
        None => return super::zip(op, &pair.lhs, &pair.rhs, choose),
    }
    pair.lhs
}

#[track_caller]
fn check_mask(op: &'static str, mask: &CpuTensor) {
    let found = mask.element_type();
    if found != DType::Bool {
        raise(&OpError::Kind { op, expected: "bool for the mask", found });
    }
}
