//! Ops of one tensor.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::DType;

use super::{Computed, Family, WIDTH};
use crate::{element::elem_type, launch::grid, tensor::CubeTensor};

/// A family of functions of one element, from `C` to `R`.
#[cube]
pub(crate) trait Map<C: Computed, R: Computed>: Family {
    fn apply(x: C, #[comptime] function: Self) -> R;
}

#[cube(launch_unchecked)]
fn map_kernel<I: Numeric, O: Numeric, C: Computed, R: Computed, F: Map<C, R>, N: Size>(
    x: &[Vector<I, N>],
    y: &mut [Vector<O, N>],
    #[comptime] function: F,
    #[define(I)] _input: ElemType,
    #[define(O)] _output: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let lanes = x[ABSOLUTE_POS];
        let mut results = Vector::<O, N>::empty();
        #[unroll]
        for lane in 0..N::value() {
            results.insert(lane, O::cast_from(F::apply(C::cast_from(lanes.extract(lane)), function)));
        }
        y[ABSOLUTE_POS] = results;
    }
}

/// `function` of every element, as elements of type `dtype`.
#[track_caller]
pub(crate) fn map<C: Computed, R: Computed, F: Map<C, R>>(
    op: &'static str,
    function: F,
    x: CubeTensor,
    dtype: DType,
) -> CubeTensor {
    let x = x.without_gaps(op);
    let layout = x.layout().at_start();
    CubeTensor::compute_placed(op, [&x], layout, dtype, x.on(), |client, y| {
        let (count, dim) = grid(client, y.layout().num_elements().div_ceil(WIDTH));
        // SAFETY: both have the same number of vectors, and the kernel stops at the end of `y`.
        unsafe {
            map_kernel::launch_unchecked::<C, R, F>(
                client,
                count,
                dim,
                WIDTH,
                x.lanes(WIDTH),
                y.lanes(WIDTH),
                function,
                elem_type(x.element_type()),
                elem_type(dtype),
            );
        }
    })
}
