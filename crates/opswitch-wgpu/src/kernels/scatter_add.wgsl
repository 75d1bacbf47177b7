// Adds each element of `src` where the index beside it says, along one dimension. An index that the dimension does not have
// adds nothing.
//
// What is added to one element is added by one invocation, in the order of the indices: the result is the same each time.
// An invocation owns a segment of `segment` elements along the dimension, and looks at all indices for those that fall into it.

struct Params {
    // One for each position beside the dimension.
    columns: u32,
    segment: u32,
    extent: u32,
    // The indices that this launch adds at.
    first_index: u32,
    end_index: u32,
    // Along the dimension.
    y_stride: u32,
    index_stride: u32,
    src_stride: u32,
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 60>,
}

@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> src: array<{{type}}>;
@group(0) @binding(2) var<storage, read_write> y: array<{{type}}>;
@group(0) @binding(3) var<uniform> params: Params;

{{shared/index}}
{{shared/strided}}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let task = linear_index(group, groups, local, 64u);
    let first = task / params.columns * params.segment;
    if first >= params.extent {
        return;
    }
    let place = places(task % params.columns);
    let owned = min(params.segment, params.extent - first);
    for (var i = params.first_index; i < params.end_index; i++) {
        let index = indices[place.z + i * params.index_stride];
        // Below `first`, the difference wraps around.
        if index - first < owned {
            y[place.y + index * params.y_stride] += src[place.w + i * params.src_stride];
        }
    }
}
