//! Ops of two tensors, which broadcast, or of a tensor and a scalar.

use cubecl::{ir::ElemType, prelude::*, std::FastDivmod};
use opswitch_core::{DType, OrRaise, check_same_type, shape::broadcast};

use super::{Computed, Family, WIDTH};
use crate::{
    element::elem_type,
    launch::grid,
    tensor::CubeTensor,
    walk::{Walk, position},
};

/// A family of functions of two elements, from `C` to `R`.
#[cube]
pub(crate) trait Zip<C: Computed, R: Computed>: Family {
    fn apply(lhs: C, rhs: C, #[comptime] function: Self) -> R;
}

#[cube(launch_unchecked)]
fn zip_kernel<I: Numeric, O: Numeric, C: Computed, R: Computed, F: Zip<C, R>, N: Size>(
    lhs: &[Vector<I, N>],
    rhs: &[Vector<I, N>],
    y: &mut [Vector<O, N>],
    #[comptime] function: F,
    #[define(I)] _input: ElemType,
    #[define(O)] _output: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let (left, right) = (lhs[ABSOLUTE_POS], rhs[ABSOLUTE_POS]);
        let mut results = Vector::<O, N>::empty();
        #[unroll]
        for lane in 0..N::value() {
            let result =
                F::apply(C::cast_from(left.extract(lane)), C::cast_from(right.extract(lane)), function);
            results.insert(lane, O::cast_from(result));
        }
        y[ABSOLUTE_POS] = results;
    }
}

#[cube(launch_unchecked)]
fn zip_broadcast_kernel<I: Numeric, O: Numeric, C: Computed, R: Computed, F: Zip<C, R>>(
    lhs: &[I],
    rhs: &[I],
    y: &mut [O],
    extents: Sequence<FastDivmod<u32>>,
    lhs_strides: Sequence<u32>,
    rhs_strides: Sequence<u32>,
    #[comptime] function: F,
    #[define(I)] _input: ElemType,
    #[define(O)] _output: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let left = lhs[position(ABSOLUTE_POS as u32, &extents, &lhs_strides)];
        let right = rhs[position(ABSOLUTE_POS as u32, &extents, &rhs_strides)];
        y[ABSOLUTE_POS] = O::cast_from(F::apply(C::cast_from(left), C::cast_from(right), function));
    }
}

#[cube(launch_unchecked)]
fn zip_scalar_kernel<I: Numeric, O: Numeric, C: Computed, R: Computed, F: Zip<C, R>, N: Size>(
    x: &[Vector<I, N>],
    y: &mut [Vector<O, N>],
    scalar: C,
    #[comptime] function: F,
    #[define(I)] _input: ElemType,
    #[define(O)] _output: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        let lanes = x[ABSOLUTE_POS];
        let mut results = Vector::<O, N>::empty();
        #[unroll]
        for lane in 0..N::value() {
            results.insert(lane, O::cast_from(F::apply(C::cast_from(lanes.extract(lane)), scalar, function)));
        }
        y[ABSOLUTE_POS] = results;
    }
}

/// `function` of every pair of elements, as elements of type `dtype`.
#[track_caller]
pub(crate) fn zip<C: Computed, R: Computed, F: Zip<C, R>>(
    op: &'static str,
    function: F,
    lhs: CubeTensor,
    rhs: CubeTensor,
    dtype: DType,
) -> CubeTensor {
    check_same_type(op, &lhs, &rhs);
    if lhs.layout().is_dense_like(rhs.layout()) {
        return zip_flat(op, function, lhs, rhs, dtype);
    }
    let shape = broadcast(op, lhs.layout().shape(), rhs.layout().shape()).or_raise();
    CubeTensor::compute(op, [&lhs, &rhs], shape, dtype, lhs.on(), |client, y| {
        let walk = Walk::new(y.layout().shape(), [lhs.layout(), rhs.layout()]);
        let (count, dim) = grid(client, y.layout().num_elements());
        // SAFETY: every element of a layout lies inside its storage, and the kernel stops at the end of `y`.
        unsafe {
            zip_broadcast_kernel::launch_unchecked::<C, R, F>(
                client,
                count,
                dim,
                lhs.whole(),
                rhs.whole(),
                y.buffer(),
                walk.extents(),
                walk.strides(0),
                walk.strides(1),
                function,
                elem_type(lhs.element_type()),
                elem_type(dtype),
            );
        }
    })
}

/// [`zip`] for tensors that place the same indices at the same distances, without gaps.
#[track_caller]
fn zip_flat<C: Computed, R: Computed, F: Zip<C, R>>(
    op: &'static str,
    function: F,
    lhs: CubeTensor,
    rhs: CubeTensor,
    dtype: DType,
) -> CubeTensor {
    // A copy, made where a buffer cannot be bound, is in row-major order: then so is the other.
    let (mut lhs, mut rhs) = (lhs.without_gaps(op), rhs.without_gaps(op));
    if !lhs.layout().is_dense_like(rhs.layout()) {
        (lhs, rhs) = (lhs.contiguous(), rhs.contiguous());
    }
    let layout = lhs.layout().at_start();
    CubeTensor::compute_placed(op, [&lhs, &rhs], layout, dtype, lhs.on(), |client, y| {
        let (count, dim) = grid(client, y.layout().num_elements().div_ceil(WIDTH));
        // SAFETY: all have the same number of vectors, and the kernel stops at the end of `y`.
        unsafe {
            zip_kernel::launch_unchecked::<C, R, F>(
                client,
                count,
                dim,
                WIDTH,
                lhs.lanes(WIDTH),
                rhs.lanes(WIDTH),
                y.lanes(WIDTH),
                function,
                elem_type(lhs.element_type()),
                elem_type(dtype),
            );
        }
    })
}

/// `function` of every element and a scalar, as elements of type `dtype`. The scalar is an argument of the kernel: another one
/// needs no other kernel.
#[track_caller]
pub(crate) fn zip_scalar<C: Computed, R: Computed, F: Zip<C, R>>(
    op: &'static str,
    function: F,
    x: CubeTensor,
    scalar: C,
    dtype: DType,
) -> CubeTensor {
    let x = x.without_gaps(op);
    let layout = x.layout().at_start();
    CubeTensor::compute_placed(op, [&x], layout, dtype, x.on(), |client, y| {
        let (count, dim) = grid(client, y.layout().num_elements().div_ceil(WIDTH));
        // SAFETY: both have the same number of vectors, and the kernel stops at the end of `y`.
        unsafe {
            zip_scalar_kernel::launch_unchecked::<C, R, F>(
                client,
                count,
                dim,
                WIDTH,
                x.lanes(WIDTH),
                y.lanes(WIDTH),
                scalar,
                function,
                elem_type(x.element_type()),
                elem_type(dtype),
            );
        }
    })
}
