//! The order of the elements.
//!
//! Tiles are sorted in the memory of a group, and rows that are longer are merged from them: each element finds where it
//! goes by counting, with a binary search, the elements of the other run that come before it. Equal elements keep their
//! order, and rows may have any length.

use opswitch_core::{DType, OrRaise, layout::movement, shape::check_dim};

use crate::{
    elementwise::stored_type,
    kernel::{Kernel, Values},
    launch::Launch,
    tensor::WgpuTensor,
};

// SAFETY: a tile ends with its row, and an element goes where one of its tile stood.
static SORT_TILE: Kernel = unsafe { Kernel::trusted("sort_tile", include_str!("../kernels/sort_tile.wgsl")) };
// SAFETY: it stops at the length, and an element goes where one of its row stood.
static MERGE_RUNS: Kernel =
    unsafe { Kernel::trusted("merge_runs", include_str!("../kernels/merge_runs.wgsl")) };

/// Elements that a group sorts.
const TILE: usize = 512;
/// Invocations of a group.
const GROUP: usize = 256;

/// Where the floats along `dim` are in ascending or descending order: the first of equal ones first, NaN as the greatest.
#[track_caller]
pub(crate) fn argsort(op: &'static str, x: &WgpuTensor, dim: usize, descending: bool) -> WgpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let last = x.layout().shape().rank() - 1;
    let x = movement::swap_dims(op, x.clone(), dim, last).contiguous(op);
    movement::swap_dims(op, sorted_rows(op, &x, descending), dim, last)
}

/// Where the elements of each row are in order.
#[track_caller]
fn sorted_rows(op: &'static str, x: &WgpuTensor, descending: bool) -> WgpuTensor {
    let shape = x.layout().shape().clone();
    let (len, row) = (shape.num_elements(), shape[shape.rank() - 1].max(1));
    let new = |dtype| x.new_output(op, shape.clone(), dtype);
    let (mut keys, mut places) = (new(DType::U32), new(DType::I32));
    sort_tiles(op, x, row, descending, [&keys, &places]);
    let mut width = TILE;
    while width < row {
        let (merged_keys, merged_places) = (new(DType::U32), new(DType::I32));
        Launch::new(op, &MERGE_RUNS)
            .input(&keys)
            .input(&places)
            .output(&merged_keys)
            .output(&merged_places)
            .params(&[len as u32, row as u32, width as u32])
            .dispatch_each(len, GROUP);
        (keys, places) = (merged_keys, merged_places);
        width *= 2;
    }
    places
}

/// Sorts runs of a tile's length, or whole rows that are shorter.
#[track_caller]
fn sort_tiles(
    op: &'static str,
    x: &WgpuTensor,
    row: usize,
    descending: bool,
    [keys, places]: [&WgpuTensor; 2],
) {
    let len = x.layout().num_elements();
    let (dtype, run) = (x.element_type(), row.min(TILE));
    // Several short rows share a tile.
    let tile = TILE / run * run;
    let (span, tiles) = if row > TILE { (row, row.div_ceil(TILE)) } else { (tile, 1) };
    let params = [
        span as u32,
        tiles as u32,
        tile as u32,
        run as u32,
        len as u32,
        if descending { u32::MAX } else { 0 },
    ];
    Launch::new(op, &SORT_TILE)
        .variant(u64::from(dtype == DType::F16), &|| values(dtype))
        .input(x)
        .output(keys)
        .output(places)
        .params(&params)
        .dispatch_each(len.div_ceil(span) * tiles * GROUP, GROUP);
}

fn values(dtype: DType) -> Values {
    vec![("input", stored_type(dtype).into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate;

    #[test]
    fn the_kernels_are_valid_for_every_type() {
        validate(&SORT_TILE, &values(DType::F32));
        validate(&SORT_TILE, &values(DType::F16));
        validate(&MERGE_RUNS, &Values::new());
    }
}
