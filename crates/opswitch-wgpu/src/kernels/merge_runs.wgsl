// Merges sorted runs of `width` elements in pairs, in each row of `row` elements.

struct Params {
    len: u32,
    row: u32,
    width: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read_write> merged_keys: array<u32>;
@group(0) @binding(3) var<storage, read_write> merged_places: array<u32>;
@group(0) @binding(4) var<uniform> params: Params;

{{shared/index}}

fn key_at(i: u32) -> u32 {
    return keys[i];
}

{{shared/merge}}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_index(group, groups, local, 256u);
    if i >= params.len {
        return;
    }
    let row = i / params.row * params.row;
    let start = row + (i - row) / (2u * params.width) * (2u * params.width);
    let place = merged_place(i, start, params.width, row + params.row);
    merged_keys[place] = keys[i];
    merged_places[place] = places[i];
}
