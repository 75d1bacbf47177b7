//! How many units share the work of one result.

use cubecl::{prelude::*, server::CubeCountSelection};
use opswitch_core::layout::Blocks;

use super::fold::{Fold, merge};
use crate::{launch, tensor::CubeTensor};

/// The most units of a cube that reduce together, and the fewest: what runs in lockstep on most devices.
const MOST_LANES: usize = 256;
const FEWEST_LANES: usize = 32;
/// Terms that a lane folds at least, so that it is not only there to be combined.
const TERMS_PER_LANE: usize = 4;
/// Results that keep a device busy with one unit each.
const MANY: usize = 1 << 12;

/// Units that reduce together: one, or all of a cube, a power of two.
///
/// Units alone are best where neighbours read neighbouring columns; along rows, lanes are what reads neighbours.
pub(super) fn lanes(client: &Client, blocks: Blocks) -> u32 {
    let is_across = blocks.inner > 1 && blocks.num_results() >= MANY;
    if is_across || blocks.reduced < FEWEST_LANES {
        return 1;
    }
    let most = client.properties().hardware.max_units_per_cube.clamp(1, MOST_LANES as u32);
    let wanted = (blocks.reduced / TERMS_PER_LANE).next_power_of_two().clamp(FEWEST_LANES, MOST_LANES);
    (wanted as u32).min(1 << most.ilog2())
}

/// The elements of a row that a unit sees.
pub(super) fn share(x: &CubeTensor, blocks: Blocks) -> usize {
    x.client().map_or(0, |client| blocks.reduced.div_ceil(lanes(client, blocks) as usize))
}

/// The cubes for that many results, each made by as many lanes.
pub(super) fn grid(client: &Client, results: usize, lanes: u32) -> (CubeCount, CubeDim) {
    if lanes == 1 {
        return launch::grid(client, results);
    }
    (CubeCountSelection::new(client, results as u32).cube_count(), CubeDim::new_1d(lanes))
}

/// Which result a unit works on. It may lie beyond the last.
#[cube]
pub(super) fn result_pos(#[comptime] lanes: u32) -> u32 {
    if comptime!(lanes == 1) { ABSOLUTE_POS as u32 } else { CUBE_POS as u32 }
}

/// Which of the lanes of a result a unit is.
#[cube]
pub(super) fn lane(#[comptime] lanes: u32) -> u32 {
    if comptime!(lanes == 1) { 0u32.runtime() } else { UNIT_POS }
}

/// The values of all lanes, folded pairwise. All units of a cube call this together, and all get the result.
#[cube]
pub(super) fn combine<A: Numeric>(value: A, #[comptime] fold: Fold, #[comptime] lanes: u32) -> A {
    if comptime!(lanes == 1) {
        value
    } else {
        let mut shared = Shared::<[A]>::new_slice(comptime!(lanes as usize));
        let lane = UNIT_POS as usize;
        shared[lane] = value;
        sync_cube();
        #[unroll]
        for step in 0..comptime!(lanes.ilog2()) {
            let width = comptime!((lanes >> (step + 1)) as usize);
            if lane < width {
                shared[lane] = merge::<A>(shared[lane], shared[lane + width], fold);
            }
            sync_cube();
        }
        shared[0]
    }
}
