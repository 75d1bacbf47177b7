// The elements lie without gaps, and are taken four at a time; the last four may reach into the padding of the buffers.

struct Params {
    vectors: u32,
    offset: u32,
    a: {{arg}},
    b: {{arg}},
}

@group(0) @binding(0) var<storage, read> x: array<vec4<{{in}}>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<{{out}}>>;
@group(0) @binding(2) var<uniform> params: Params;

{{shared/index}}

@compute @workgroup_size({{group_size}})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_index(group, groups, local, {{group_size}}u);
    if i < params.vectors {
        let v = vec4<{{arg}}>(x[params.offset + i]);
        let a = params.a;
        let b = params.b;
        let r = vec4<{{result}}>(apply(v.x, a, b), apply(v.y, a, b), apply(v.z, a, b), apply(v.w, a, b));
        y[i] = vec4<{{out}}>(r);
    }
}
