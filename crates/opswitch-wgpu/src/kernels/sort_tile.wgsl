// Sorts runs of `run` elements, several or a part of a row in a tile: the keys of the elements in ascending order, and where
// in their row they stood. Equal ones stay in their order.

struct Params {
    // The elements between the first tiles of two rows, of which there are `tiles` each.
    span: u32,
    tiles: u32,
    // The elements of a tile, but for the last of a row.
    tile: u32,
    run: u32,
    len: u32,
    // What keys are changed by: all bits to sort in descending order.
    flip: u32,
}

@group(0) @binding(0) var<storage, read> x: array<{{input}}>;
@group(0) @binding(1) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> sorted_places: array<u32>;
@group(0) @binding(3) var<uniform> params: Params;

const TILE: u32 = 512u;
const GROUP: u32 = 256u;

// Two tiles: runs are merged from one into the other.
var<workgroup> keys: array<u32, 1024>;
var<workgroup> places: array<u32, 1024>;
// Where the tile is that is merged from.
var<private> source: u32;

{{shared/index}}

fn key_at(i: u32) -> u32 {
    return keys[source + i];
}

{{shared/merge}}

// Unsigned integers in the order of the floats: zeros are equal, and NaN is the greatest.
fn key_of(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let magnitude = bits & 0x7fffffffu;
    if magnitude == 0u {
        return 0x80000000u;
    }
    let key = select(bits | 0x80000000u, ~bits, bits >> 31u == 1u);
    return select(key, 0xffffffffu, magnitude > 0x7f800000u);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let task = linear_index(group, groups, 0u, 1u);
    let first = task % params.tiles * params.tile;
    let base = task / params.tiles * params.span + first;
    if base >= params.len {
        return;
    }
    let count = min(min(params.tile, params.span - first), params.len - base);
    source = 0u;
    for (var i = local; i < count; i += GROUP) {
        keys[i] = key_of(f32(x[base + i])) ^ params.flip;
        places[i] = first + i % params.run;
    }
    workgroupBarrier();
    for (var width = 1u; width < params.run; width *= 2u) {
        let target_tile = TILE - source;
        for (var i = local; i < count; i += GROUP) {
            let run = i / params.run * params.run;
            let start = run + (i - run) / (2u * width) * (2u * width);
            let place = target_tile + merged_place(i, start, width, min(run + params.run, count));
            keys[place] = keys[source + i];
            places[place] = places[source + i];
        }
        workgroupBarrier();
        source = target_tile;
    }
    for (var i = local; i < count; i += GROUP) {
        sorted_keys[base + i] = keys[source + i];
        sorted_places[base + i] = places[source + i];
    }
}
