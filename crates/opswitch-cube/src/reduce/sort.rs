//! The order of the elements.
//!
//! Tiles are sorted in the memory of a cube, and rows that are longer are merged from them: each element finds where it goes by
//! counting, with a binary search, the elements of the other run that come before it. Equal elements keep their order, and
//! rows may have any length.

use cubecl::{ir::ElemType, prelude::*, server::CubeCountSelection};
use opswitch_core::{
    DType, OrRaise,
    layout::{StridedTensor, movement},
    shape::check_dim,
};

use super::key::rank;
use crate::{element::elem_type, launch::grid, tensor::CubeTensor};

/// Elements that a cube sorts.
const TILE: usize = 512;
/// The most units of a cube that sort them.
const UNITS: u32 = 256;

/// Where element `i` stands once two sorted runs of `width` elements, the first at `start`, are merged before `end`: after those
/// before it in its own run, and after those in the other that are less, or equal and of the first run. The runs lie behind
/// `source` in `keys`.
#[cube]
fn merged_place(keys: &[i32], source: u32, i: u32, start: u32, width: u32, end: u32) -> u32 {
    let middle = min(start + width, end);
    let is_first = i < middle;
    let key = keys[(source + i) as usize];
    let mut low = select(is_first, middle, start);
    let mut high = select(is_first, min(middle + width, end), middle);
    while low < high {
        let probe = low + (high - low) / 2;
        let other = keys[(source + probe) as usize];
        if other < key || (other == key && !is_first) {
            low = probe + 1;
        } else {
            high = probe;
        }
    }
    i + low - middle
}

/// Sorts runs of `run` elements, several or a part of a row in a tile: the keys of the elements in ascending order, and where
/// in their row they stood. Each `span` elements have `tiles` tiles.
#[cube(launch_unchecked)]
fn sort_kernel<T: Numeric>(
    x: &[T],
    sorted_keys: &mut [i32],
    sorted_places: &mut [i32],
    len: u32,
    span: u32,
    tiles: u32,
    tile: u32,
    run: u32,
    flip: i32,
    #[comptime] units: u32,
    #[define(T)] _input: ElemType,
) {
    // Two tiles: runs are merged from one into the other.
    let mut keys = Shared::<[i32]>::new_slice(comptime!(2 * TILE));
    let mut places = Shared::<[u32]>::new_slice(comptime!(2 * TILE));
    let task = CUBE_POS as u32;
    let first = task % tiles * tile;
    let base = task / tiles * span + first;
    let count = select(base < len, min(min(tile, span - first), len - base), 0);
    let mut i = UNIT_POS;
    while i < count {
        keys[i as usize] = rank(f32::cast_from(x[(base + i) as usize]), false) ^ flip;
        places[i as usize] = first + i % run;
        i += units;
    }
    sync_cube();
    let mut source = 0u32.runtime();
    let mut width = 1u32.runtime();
    while width < run {
        let destination = comptime!(TILE as u32) - source;
        let mut i = UNIT_POS;
        while i < count {
            let of_run = i / run * run;
            let start = of_run + (i - of_run) / (2 * width) * (2 * width);
            let place = destination + merged_place(&keys, source, i, start, width, min(of_run + run, count));
            keys[place as usize] = keys[(source + i) as usize];
            places[place as usize] = places[(source + i) as usize];
            i += units;
        }
        sync_cube();
        source = destination;
        width *= 2;
    }
    let mut i = UNIT_POS;
    while i < count {
        sorted_keys[(base + i) as usize] = keys[(source + i) as usize];
        sorted_places[(base + i) as usize] = i32::cast_from(places[(source + i) as usize]);
        i += units;
    }
}

/// Merges sorted runs of `width` elements in pairs, in each row of `row` elements.
#[cube(launch_unchecked)]
fn merge_kernel(
    keys: &[i32],
    places: &[i32],
    merged_keys: &mut [i32],
    merged_places: &mut [i32],
    len: u32,
    row: u32,
    width: u32,
) {
    let i = ABSOLUTE_POS as u32;
    if i < len {
        let of_row = i / row * row;
        let start = of_row + (i - of_row) / (2 * width) * (2 * width);
        let place = merged_place(keys, 0u32.runtime(), i, start, width, of_row + row) as usize;
        merged_keys[place] = keys[i as usize];
        merged_places[place] = places[i as usize];
    }
}

/// Where the floats along `dim` are in ascending or descending order: the first of equal ones first, NaN as the greatest.
#[track_caller]
pub(crate) fn argsort(op: &'static str, x: CubeTensor, dim: usize, descending: bool) -> CubeTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let last = x.layout().shape().rank() - 1;
    let x = movement::swap_dims(op, x, dim, last).into_contiguous(op);
    movement::swap_dims(op, sorted_rows(op, &x, descending), dim, last)
}

/// Where the elements of each row are in order.
#[track_caller]
fn sorted_rows(op: &'static str, x: &CubeTensor, descending: bool) -> CubeTensor {
    let row = x.layout().shape().last().copied().unwrap_or(1);
    let [mut keys, mut places] = sorted_tiles(op, x, row, descending);
    let mut width = TILE;
    while width < row {
        [keys, places] = merged_runs(op, &keys, &places, row, width);
        width *= 2;
    }
    places
}

/// Keys and places in runs of a tile's length, or in whole rows that are shorter.
#[track_caller]
fn sorted_tiles(op: &'static str, x: &CubeTensor, row: usize, descending: bool) -> [CubeTensor; 2] {
    let shape = x.layout().shape();
    let places = CubeTensor::empty(op, &[x], shape.clone(), DType::I32, x.on());
    let keys = CubeTensor::compute(op, [x, &places], shape.clone(), DType::I32, x.on(), |client, keys| {
        let (len, run) = (shape.num_elements(), row.min(TILE));
        // Several short rows share a tile.
        let tile = TILE / run * run;
        let (span, tiles) = if row > TILE { (row, row.div_ceil(TILE)) } else { (tile, 1) };
        let units = client.properties().hardware.max_units_per_cube.clamp(1, UNITS);
        let cubes = CubeCountSelection::new(client, (len.div_ceil(span) * tiles) as u32).cube_count();
        // SAFETY: a tile ends with its row, and an element goes where one of its tile stood.
        unsafe {
            sort_kernel::launch_unchecked(
                client,
                cubes,
                CubeDim::new_1d(units),
                x.buffer(),
                keys.buffer(),
                places.buffer(),
                len as u32,
                span as u32,
                tiles as u32,
                tile as u32,
                run as u32,
                // Inverted bits are in the opposite order.
                if descending { -1 } else { 0 },
                units,
                elem_type(x.element_type()),
            );
        }
    });
    [keys, places]
}

#[track_caller]
fn merged_runs(
    op: &'static str,
    keys: &CubeTensor,
    places: &CubeTensor,
    row: usize,
    width: usize,
) -> [CubeTensor; 2] {
    let shape = keys.layout().shape();
    let merged_places = CubeTensor::empty(op, &[places], shape.clone(), DType::I32, keys.on());
    let inputs = [keys, places, &merged_places];
    let merged_keys =
        CubeTensor::compute(op, inputs, shape.clone(), DType::I32, keys.on(), |client, merged| {
            let (count, dim) = grid(client, shape.num_elements());
            // SAFETY: the kernel stops at the length, and an element goes where one of its row stood.
            unsafe {
                merge_kernel::launch_unchecked(
                    client,
                    count,
                    dim,
                    keys.buffer(),
                    places.buffer(),
                    merged.buffer(),
                    merged_places.buffer(),
                    shape.num_elements() as u32,
                    row as u32,
                    width as u32,
                );
            }
        });
    [merged_keys, merged_places]
}
