// The elements of a strided tensor in row-major order, one at a time or four.

struct Params {
    len: u32,
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 60>,
}

@group(0) @binding(0) var<storage, read> x: array<{{item}}>;
@group(0) @binding(1) var<storage, read_write> y: array<{{item}}>;
@group(0) @binding(2) var<uniform> params: Params;

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
        y[i] = x[places(i).y];
    }
}
