// Four pairs of elements at a time; the last ones may be in the padding of the buffers. A tensor that stands still in the
// innermost loop has one element for all four.

struct Params {
    len: u32,
    a: {{lhs_arg}},
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 60>,
}

@group(0) @binding(0) var<storage, read> lhs: array<{{lhs_item}}>;
@group(0) @binding(1) var<storage, read> rhs: array<{{rhs_item}}>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<{{out}}>>;
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
        let l = vec4<{{lhs_arg}}>({{lhs_load}}(lhs[place.y]));
        let r = vec4<{{rhs_arg}}>({{rhs_load}}(rhs[place.z]));
        let a = params.a;
        y[i] = vec4<{{out}}>(vec4<{{result}}>(apply(l.x, r.x, a), apply(l.y, r.y, a), apply(l.z, r.z, a), apply(l.w, r.w, a)));
    }
}
