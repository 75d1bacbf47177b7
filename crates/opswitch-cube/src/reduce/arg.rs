//! Where the extremes are.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{
    DType, OrRaise, check_type,
    layout::movement,
    shape::{check_dim, check_some},
};

use super::{
    blocks::over_dims,
    cubes::{grid, lane, lanes, result_pos},
    key::rank,
};
use crate::{element::elem_type, index, tensor::CubeTensor};

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

#[cube(launch_unchecked)]
fn arg_kernel<T: Numeric>(
    x: &[T],
    y: &mut [i32],
    reduced: u32,
    inner: u32,
    #[comptime] least: bool,
    #[comptime] lanes: u32,
    #[define(T)] _input: ElemType,
) {
    let result = result_pos(lanes);
    let is_inside = result < y.len() as u32;
    let first = result / inner * reduced * inner + result % inner;
    let end = select(is_inside, reduced, 0);
    // No element ranks as low.
    let mut best = i32::MIN.runtime();
    let mut at = 0u32.runtime();
    let mut i = lane(lanes);
    while i < end {
        let rank = rank(f32::cast_from(x[(first + i * inner) as usize]), least);
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

/// The index of the first extreme along `dim`, or of the first NaN if there is one.
#[track_caller]
pub(crate) fn arg_reduce(
    op: &'static str,
    extreme: Extreme,
    x: CubeTensor,
    dim: usize,
    keep_dims: bool,
) -> CubeTensor {
    check_type(op, "a float type", x.element_type(), DType::is_float);
    check_dim(op, x.layout().shape(), dim).or_raise();
    check_some(op, x.layout().shape(), &[dim]).or_raise();
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
                    extreme == Extreme::Least,
                    lanes,
                    elem_type(x.element_type()),
                );
            }
        })
    })
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
