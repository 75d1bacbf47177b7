//! Where the extremes are.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{
    DType, OrRaise, Slice,
    layout::{Blocks, movement},
    ops::IntOps,
    shape::{check_dim, check_some},
};

use super::{
    blocks::over_dims,
    cubes::{grid, lane, lanes, result_pos, share},
    fold::Form,
    key::rank,
};
use crate::{assign::cat, backend::Cube, element::elem_type, index, launch::MAX_STEPS, tensor::CubeTensor};

/// Which extreme is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Greatest,
    Least,
}

/// The best of the lanes, and where it is; the first at a tie.
#[cube]
fn first_best(best: i32, at: u32, #[comptime] lanes: u32) -> u32 {
    if comptime!(lanes == 1) {
        at
    } else {
        let mut bests = Shared::<[i32]>::new_slice(comptime!(lanes as usize));
        let mut places = Shared::<[u32]>::new_slice(comptime!(lanes as usize));
        let lane = UNIT_POS as usize;
        bests[lane] = best;
        places[lane] = at;
        sync_cube();
        #[unroll]
        for step in 0..comptime!(lanes.ilog2()) {
            let width = comptime!((lanes >> (step + 1)) as usize);
            if lane < width {
                let (mine, other) = (bests[lane], bests[lane + width]);
                if other > mine || (other == mine && places[lane + width] < places[lane]) {
                    bests[lane] = other;
                    places[lane] = places[lane + width];
                }
            }
            sync_cube();
        }
        places[0]
    }
}

/// A signed integer that is greatest where the element is NaN, else where it is the extreme that is looked for.
#[cube]
fn rank_of<T: Numeric>(x: T, #[comptime] form: Form, #[comptime] least: bool) -> i32 {
    if comptime!(form == Form::FloatKey) {
        rank(f32::cast_from(x), least)
    } else {
        let key = if comptime!(form == Form::UnsignedKey) {
            i32::reinterpret(u32::cast_from(x)) ^ i32::MIN
        } else {
            i32::cast_from(x)
        };
        // Inverted bits are in the opposite order.
        if comptime!(least) { key ^ -1i32 } else { key }
    }
}

#[cube(launch_unchecked)]
fn arg_kernel<T: Numeric>(
    x: &[T],
    y: &mut [i32],
    reduced: u32,
    inner: u32,
    #[comptime] form: Form,
    #[comptime] least: bool,
    #[comptime] lanes: u32,
    #[define(T)] _input: ElemType,
) {
    let result = result_pos(lanes);
    let is_inside = result < y.len() as u32;
    let first = result / inner * reduced * inner + result % inner;
    let end = select(is_inside, reduced, 0);
    // No float ranks as low. Where the greatest integer does, all of them do, and the first is the one.
    let mut best = i32::MIN.runtime();
    let mut at = 0u32.runtime();
    let mut i = lane(lanes);
    while i < end {
        let rank = rank_of::<T>(x[(first + i * inner) as usize], form, least);
        if rank > best {
            best = rank;
            at = i;
        }
        i += lanes;
    }
    let at = first_best(best, at, lanes);
    if is_inside && lane(lanes) == 0 {
        y[result as usize] = i32::cast_from(at);
    }
}

/// The index of the first extreme of floats or integers along `dim`, or of the first NaN if there is one.
#[track_caller]
pub(crate) fn arg_reduce(
    op: &'static str,
    extreme: Extreme,
    x: CubeTensor,
    dim: usize,
    keep_dims: bool,
) -> CubeTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    check_some(op, x.layout().shape(), &[dim]).or_raise();
    let pieces = share(&x, Blocks::along(x.layout().shape(), dim)).div_ceil(MAX_STEPS);
    if pieces > 1 {
        return arg_of_pieces(op, extreme, &x, dim, keep_dims, pieces);
    }
    over_dims(op, x, &[dim], keep_dims, |x, blocks| {
        CubeTensor::compute(op, [&x], blocks.results(), DType::I32, x.on(), |client, y| {
            let lanes = lanes(client, blocks);
            let (count, dim) = grid(client, blocks.num_results(), lanes);
            // SAFETY: the kernel reads the `outer * reduced * inner` elements of `x`, and stops at the end of `y`.
            unsafe {
                arg_kernel::launch_unchecked(
                    client,
                    count,
                    dim,
                    x.buffer(),
                    y.buffer(),
                    blocks.reduced as u32,
                    blocks.inner as u32,
                    Form::ordered(x.element_type()),
                    extreme == Extreme::Least,
                    lanes,
                    elem_type(x.element_type()),
                );
            }
        })
    })
}

/// The extreme of rows that are too long for one launch: of their pieces, and then among those.
#[track_caller]
fn arg_of_pieces(
    op: &'static str,
    extreme: Extreme,
    x: &CubeTensor,
    dim: usize,
    keep_dims: bool,
    pieces: usize,
) -> CubeTensor {
    let shape = x.layout().shape();
    let len = shape[dim].div_ceil(pieces);
    let piece = |start: usize| {
        let end = shape[dim].min(start + len);
        let mut slices = vec![Slice::FULL; dim];
        slices.push((start as isize..end as isize).into());
        let (value, place) =
            reduce_with_index(op, extreme, movement::slice(op, x.clone(), &slices), dim, true);
        (value, Cube::int_add_scalar(place, start as i64))
    };
    let (values, places) = (0..shape[dim]).step_by(len).map(piece).unzip();
    let winner = arg_reduce(op, extreme, cat(op, values, dim), dim, true);
    movement::reshape(
        op,
        index::gather(op, cat(op, places, dim), dim, winner),
        shape.reduced(&[dim], keep_dims),
    )
}

/// The extremes along `dim`, and their indices.
#[track_caller]
pub(crate) fn reduce_with_index(
    op: &'static str,
    extreme: Extreme,
    x: CubeTensor,
    dim: usize,
    keep_dims: bool,
) -> (CubeTensor, CubeTensor) {
    let chosen = arg_reduce(op, extreme, x.clone(), dim, true);
    let shape = x.layout().shape().reduced(&[dim], keep_dims);
    let values = index::gather(op, x, dim, chosen.clone());
    (movement::reshape(op, values, shape.clone()), movement::reshape(op, chosen, shape))
}
