// One pair of elements at a time.

struct Params {
    len: u32,
    a: {{lhs_arg}},
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 60>,
}

@group(0) @binding(0) var<storage, read> lhs: array<{{lhs}}>;
@group(0) @binding(1) var<storage, read> rhs: array<{{rhs}}>;
@group(0) @binding(2) var<storage, read_write> y: array<{{out}}>;
@group(0) @binding(3) var<uniform> params: Params;

{{shared/index}}
{{shared/strided}}

@compute @workgroup_size({{group_size}})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_index(group, groups, local, {{group_size}}u);
    if i < params.len {
        let place = places(i);
        y[i] = {{out}}(apply({{lhs_arg}}(lhs[place.y]), {{rhs_arg}}(rhs[place.z]), params.a));
    }
}
