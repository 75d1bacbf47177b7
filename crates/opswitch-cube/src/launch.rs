//! How many cubes a kernel runs in.

use cubecl::{calculate_cube_count_elemwise, client::Client, prelude::*};

/// Steps that the loops of a unit may take, all together.
///
/// A driver may end loops that take longer, and say nothing: Mesa's in software does so after 65,535 steps.
pub(crate) const MAX_STEPS: usize = 1 << 15;

/// Cubes and their size for a kernel with `units` units of work, one for each `ABSOLUTE_POS` from 0.
///
/// The grid is folded where a dimension of it would be larger than the device allows. It may hold more units than asked for:
/// the kernel leaves those beyond the end of its output alone.
pub fn grid(client: &Client, units: usize) -> (CubeCount, CubeDim) {
    let dim = CubeDim::new(client, units);
    (calculate_cube_count_elemwise(client, units, dim), dim)
}
