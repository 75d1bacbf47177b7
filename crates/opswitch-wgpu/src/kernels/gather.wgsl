// For each position, the element of `x` that the index there names along one dimension. An index that the dimension does
// not have reads nothing, and gives `missing`.

struct Params {
    len: u32,
    // Of `x` along the dimension.
    extent: u32,
    stride: u32,
    // Bits; of a half, those of the same f32.
    missing: u32,
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 60>,
}

@group(0) @binding(0) var<storage, read> x: array<{{type}}>;
// A negative one is a great one here.
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<{{type}}>;
@group(0) @binding(3) var<uniform> params: Params;

{{shared/index}}
{{shared/strided}}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let position = linear_index(group, groups, local, 256u);
    if position >= params.len {
        return;
    }
    let place = places(position);
    let index = indices[place.z];
    if index < params.extent {
        y[position] = x[place.y + index * params.stride];
    } else {
        y[position] = {{missing}};
    }
}
