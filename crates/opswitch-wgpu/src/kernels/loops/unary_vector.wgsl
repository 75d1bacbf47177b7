// Four elements at a time; the last ones may be in the padding of the buffers.

struct Params {
    len: u32,
    a: {{arg}},
    b: {{arg}},
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 60>,
}

@group(0) @binding(0) var<storage, read> x: array<vec4<{{in}}>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<{{out}}>>;
@group(0) @binding(2) var<uniform> params: Params;

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
        let v = vec4<{{arg}}>(x[places(i).y]);
        let a = params.a;
        let b = params.b;
        y[i] = vec4<{{out}}>(vec4<{{result}}>(apply(v.x, a, b), apply(v.y, a, b), apply(v.z, a, b), apply(v.w, a, b)));
    }
}
