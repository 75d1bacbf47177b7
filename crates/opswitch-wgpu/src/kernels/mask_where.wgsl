// One of two elements, by a mask. All three broadcast; the result is in row-major order.

struct Params {
    len: u32,
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 60>,
}

@group(0) @binding(0) var<storage, read> x: array<{{type}}>;
@group(0) @binding(1) var<storage, read> mask: array<u32>;
@group(0) @binding(2) var<storage, read> value: array<{{type}}>;
@group(0) @binding(3) var<storage, read_write> y: array<{{type}}>;
@group(0) @binding(4) var<uniform> params: Params;

{{shared/index}}
{{shared/strided}}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_index(group, groups, local, 256u);
    if i < params.len {
        let place = places(i);
        y[i] = select(x[place.y], value[place.w], mask[place.z] != 0u);
    }
}
