// The elements of both lie without gaps in the same order, and are taken four at a time; the last four may reach into the
// padding of the buffers.

struct Params {
    vectors: u32,
    lhs_offset: u32,
    rhs_offset: u32,
    a: {{lhs_arg}},
}

@group(0) @binding(0) var<storage, read> lhs: array<vec4<{{lhs}}>>;
@group(0) @binding(1) var<storage, read> rhs: array<vec4<{{rhs}}>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<{{out}}>>;
@group(0) @binding(3) var<uniform> params: Params;

{{shared/index}}

@compute @workgroup_size({{group_size}})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_index(group, groups, local, {{group_size}}u);
    if i < params.vectors {
        let l = vec4<{{lhs_arg}}>(lhs[params.lhs_offset + i]);
        let r = vec4<{{rhs_arg}}>(rhs[params.rhs_offset + i]);
        let a = params.a;
        let v = vec4<{{result}}>(apply(l.x, r.x, a), apply(l.y, r.y, a), apply(l.z, r.z, a), apply(l.w, r.w, a));
        y[i] = vec4<{{out}}>(v);
    }
}
