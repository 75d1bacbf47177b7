//! Scans: for each element, what it and those before it fold to.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{
    DType, OrRaise,
    layout::{Blocks, Layout, StridedTensor, dense_order, inverse, movement},
    shape::check_dim,
};

use super::{
    cubes::{grid, lane, lanes, result_pos},
    fold::{CUBE_TERMS, Fold, Reduction, UNIT_TERMS, fold_parts, merge},
};
use crate::{element::elem_type, tensor::CubeTensor};

/// Elements that one unit scans before they are merged with what came before them, so that the rounding error of a sum grows
/// with the number of blocks.
const BLOCK: u32 = 64;

/// How a kernel scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Scan {
    fold: Fold,
    /// What nothing folds to.
    identity: i32,
    /// Whether rows have several parts, of which all but the first start from what came before them.
    is_in_parts: bool,
    lanes: u32,
}

#[cube]
fn nothing<A: Numeric>(#[comptime] scan: Scan) -> A {
    A::cast_from(comptime!(scan.identity).runtime())
}

/// What a part starts from: the scan up to the part before it, if there is one.
#[cube]
fn before_part<A: Numeric>(
    wholes: &[A],
    task: u32,
    inner: u32,
    has_before: bool,
    #[comptime] scan: Scan,
) -> A {
    if comptime!(scan.is_in_parts) {
        let mut before = nothing::<A>(scan);
        if has_before {
            before = wholes[(task - inner) as usize];
        }
        before
    } else {
        nothing::<A>(scan)
    }
}

/// Scans `parts` pieces of at most `terms` elements along the middle one of three dimensions. `wholes` holds the scan of the
/// pieces as wholes.
#[cube(launch_unchecked)]
fn scan_kernel<T: Numeric, A: Numeric, O: Numeric>(
    x: &[T],
    wholes: &[A],
    y: &mut [O],
    tasks: u32,
    len: u32,
    inner: u32,
    parts: u32,
    terms: u32,
    #[comptime] scan: Scan,
    #[define(T)] _input: ElemType,
    #[define(A)] _accumulator: ElemType,
    #[define(O)] _output: ElemType,
) {
    let task = result_pos(scan.lanes);
    let is_inside = task < tasks;
    let first = task / inner / parts * len * inner + task % inner;
    let part = task / inner % parts;
    let start = part * terms;
    let end = select(is_inside, min(start + terms, len), 0);
    let mut before = before_part::<A>(wholes, task, inner, is_inside && part > 0, scan);
    let mut i = start;
    if comptime!(scan.lanes == 1) {
        while i < end {
            let block_end = min(i + BLOCK, end);
            let mut acc = nothing::<A>(scan);
            while i < block_end {
                let at = (first + i * inner) as usize;
                acc = merge::<A>(acc, A::cast_from(x[at]), scan.fold);
                y[at] = O::cast_from(merge::<A>(before, acc, scan.fold));
                i += 1;
            }
            before = merge::<A>(before, acc, scan.fold);
        }
    } else {
        let mut shared = Shared::<[A]>::new_slice(comptime!(scan.lanes as usize));
        let lane = lane(scan.lanes);
        while i < end {
            let at = (first + (i + lane) * inner) as usize;
            let mut acc = nothing::<A>(scan);
            if i + lane < end {
                acc = A::cast_from(x[at]);
            }
            shared[lane as usize] = acc;
            sync_cube();
            // As Hillis and Steele scan (1986).
            #[unroll]
            for step in 0..comptime!(scan.lanes.ilog2()) {
                let distance = comptime!(1u32 << step);
                if lane >= distance {
                    acc = merge::<A>(shared[(lane - distance) as usize], acc, scan.fold);
                }
                sync_cube();
                shared[lane as usize] = acc;
                sync_cube();
            }
            if i + lane < end {
                y[at] = O::cast_from(merge::<A>(before, acc, scan.fold));
            }
            before = merge::<A>(before, shared[comptime!(scan.lanes as usize - 1)], scan.fold);
            sync_cube();
            i += scan.lanes;
        }
    }
}

/// The sums or products of the elements up to each along `dim`, in the order in which the elements lie.
#[track_caller]
pub(crate) fn scan(op: &'static str, reduction: Reduction, x: CubeTensor, dim: usize) -> CubeTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let Some(axes) = dense_order(x.layout()) else {
        return scan_row_major(op, reduction, x, dim);
    };
    let inverse = inverse(&axes);
    let scanned = scan_row_major(op, reduction, movement::permute(op, x, &axes), inverse[dim]);
    movement::permute(op, scanned, &inverse)
}

#[track_caller]
fn scan_row_major(op: &'static str, reduction: Reduction, x: CubeTensor, dim: usize) -> CubeTensor {
    let (shape, dtype) = (x.layout().shape().clone(), x.element_type());
    let blocks = Blocks::along(&shape, dim);
    scan_blocks(op, reduction, &x.into_contiguous(op), blocks, dtype).with_layout(Layout::contiguous(shape))
}

/// The scan of the blocks of `x`, in elements of type `output`: of their parts as wholes if there are several, and then
/// within each.
#[track_caller]
fn scan_blocks(
    op: &'static str,
    reduction: Reduction,
    x: &CubeTensor,
    blocks: Blocks,
    output: DType,
) -> CubeTensor {
    let lanes = x.client().map_or(1, |client| lanes(client, blocks));
    let terms = if lanes == 1 { UNIT_TERMS } else { CUBE_TERMS };
    let parts = blocks.reduced.div_ceil(terms).max(1);
    let accumulator = reduction.accumulator(x.element_type());
    let wholes = (parts > 1).then(|| {
        let wholes = fold_parts(op, reduction, x, blocks, lanes, (parts, terms));
        scan_blocks(op, reduction, &wholes, Blocks { reduced: parts, ..blocks }, accumulator)
    });
    // A kernel that starts from nothing reads no wholes, and gets what there is.
    let starts = wholes.as_ref().unwrap_or(x);
    CubeTensor::compute(op, [x, starts], blocks.shape(), output, x.on(), |client, y| {
        let tasks = blocks.num_results() * parts;
        let (count, dim) = grid(client, tasks, lanes);
        let (fold, identity) = (reduction.fold(), reduction.identity());
        // SAFETY: the kernel reads the `outer * reduced * inner` elements of `x`, writes as many of `y`, and reads the wholes of
        // parts before another.
        unsafe {
            scan_kernel::launch_unchecked(
                client,
                count,
                dim,
                x.buffer(),
                starts.buffer(),
                y.buffer(),
                tasks as u32,
                blocks.reduced as u32,
                blocks.inner as u32,
                parts as u32,
                terms as u32,
                Scan { fold, identity, is_in_parts: wholes.is_some(), lanes },
                elem_type(x.element_type()),
                elem_type(accumulator),
                elem_type(output),
            );
        }
    })
}
