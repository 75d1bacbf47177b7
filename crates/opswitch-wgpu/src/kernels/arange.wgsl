// `start + i * step`, modulo 2^32, which is right for signed and unsigned integers.

struct Params {
    len: u32,
    start: u32,
    step: u32,
}

@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;

{{shared/index}}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_index(group, groups, local, 256u);
    if i < params.len {
        y[i] = params.start + i * params.step;
    }
}
