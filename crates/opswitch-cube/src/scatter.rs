//! Adding at indices.
//!
//! No atomics: what is added to an element is added in the order of the indices, by the one unit that owns the element, so
//! that the same inputs give the same bits. Floats add up in `f32`, integers in `u32`, where they wrap around.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{DType, Shape, ShapeError, check_same_type, layout::StridedTensor, raise};

use crate::{
    element::elem_type,
    elementwise::cast,
    index::{Around, check_gather, check_select},
    launch::{MAX_STEPS, grid},
    tensor::CubeTensor,
};

/// Units that keep a device busy. Fewer columns than these are split among several units each, all of which read every index
/// of the column.
const UNITS: usize = 1 << 12;

/// Adds `src` to the elements of `x` that a unit owns: `share` neighbours in a column, which is what has the same place in all
/// dimensions but one. The launches of an op add at one range of indices after another; the first also copies `x`.
#[cube(launch_unchecked)]
fn add_kernel<T: Numeric, A: Numeric, I: Int>(
    x: &[T],
    index: &[I],
    src: &[T],
    y: &mut [A],
    columns: u32,
    extent: u32,
    count: u32,
    inner: u32,
    share: u32,
    first_index: u32,
    end_index: u32,
    #[comptime] is_vector: bool,
    #[define(T)] _elem: ElemType,
    #[define(A)] _accumulator: ElemType,
    #[define(I)] _index_elem: ElemType,
) {
    let column = ABSOLUTE_POS as u32 % columns;
    let start = ABSOLUTE_POS as u32 / columns * share;
    let end = min(start + share, extent);
    let first = column / inner * extent * inner + column % inner;
    let first_src = column / inner * count * inner + column % inner;
    if first_index == 0 {
        for at in start..end {
            let to = (first + at * inner) as usize;
            y[to] = A::cast_from(x[to]);
        }
    }
    for i in first_index..end_index {
        let from = (first_src + i * inner) as usize;
        let place = if comptime!(is_vector) { i as usize } else { from };
        let at = u32::cast_from(index[place]);
        if at >= start && at < end {
            y[(first + at * inner) as usize] += A::cast_from(src[from]);
        }
    }
}

/// `x` with each element of `src` added where `gather` would read.
#[track_caller]
pub(crate) fn scatter_add(
    op: &'static str,
    x: CubeTensor,
    dim: usize,
    index: CubeTensor,
    src: CubeTensor,
) -> CubeTensor {
    check_same_type(op, &x, &src);
    check_gather(op, &x, dim, &index);
    check_same_shape(op, src.layout().shape(), index.layout().shape());
    add(op, x, dim, index, src, false)
}

/// `x` with each slice of `src` added where `select` would read.
#[track_caller]
pub(crate) fn select_add(
    op: &'static str,
    x: CubeTensor,
    dim: usize,
    index: CubeTensor,
    src: CubeTensor,
) -> CubeTensor {
    check_same_type(op, &x, &src);
    check_select(op, &x, dim, &index);
    let selected = x.layout().shape().clone().with_dim(dim, index.layout().num_elements());
    check_same_shape(op, src.layout().shape(), &selected);
    add(op, x, dim, index, src, true)
}

#[track_caller]
fn check_same_shape(op: &'static str, src: &Shape, expected: &Shape) {
    if src != expected {
        let reason = "what is added must have the shape of what the index reads, which is the second";
        raise(&ShapeError::pair(op, src, expected, reason));
    }
}

#[track_caller]
fn add(
    op: &'static str,
    x: CubeTensor,
    dim: usize,
    index: CubeTensor,
    src: CubeTensor,
    is_vector: bool,
) -> CubeTensor {
    let is_nothing = src.layout().num_elements() == 0;
    if is_nothing && src.failure().is_none() && index.failure().is_none() {
        return x;
    }
    let (x, index, src) = (x.into_contiguous(op), index.into_contiguous(op), src.into_contiguous(op));
    let shape = x.layout().shape().clone();
    let Around { outer, extent, inner } = Around::new(&shape, dim);
    let columns = outer * inner;
    let count = src.layout().shape()[dim];
    let accumulator = if x.element_type().is_float() { DType::F32 } else { DType::U32 };
    let sums = CubeTensor::compute(op, [&x, &index, &src], shape, accumulator, x.on(), |client, y| {
        let share = extent.div_ceil((UNITS / columns).clamp(1, extent)).min(MAX_STEPS / 2);
        for first_index in (0..count).step_by(MAX_STEPS) {
            let (cubes, units) = grid(client, columns * extent.div_ceil(share));
            // SAFETY: units beyond the last share own nothing; the others write their own elements of `y`, which has the shape
            // of `x`, and read the `outer * count * inner` elements of `src` and as many indices, or `count`.
            unsafe {
                add_kernel::launch_unchecked(
                    client,
                    cubes,
                    units,
                    x.buffer(),
                    index.buffer(),
                    src.buffer(),
                    y.buffer(),
                    columns as u32,
                    extent as u32,
                    count as u32,
                    inner as u32,
                    share as u32,
                    first_index as u32,
                    count.min(first_index + MAX_STEPS) as u32,
                    is_vector,
                    elem_type(x.element_type()),
                    elem_type(accumulator),
                    elem_type(index.element_type()),
                );
            }
        }
    });
    cast(op, sums, x.element_type())
}
