// The same 32 bits everywhere, in vectors of four that may reach into the padding of the buffer.

struct Params {
    vectors: u32,
    word: u32,
}

@group(0) @binding(0) var<storage, read_write> y: array<vec4<u32>>;
@group(0) @binding(1) var<uniform> params: Params;

{{shared/index}}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_index(group, groups, local, 256u);
    if i < params.vectors {
        y[i] = vec4<u32>(params.word);
    }
}
