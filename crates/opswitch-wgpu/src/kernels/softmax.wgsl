// Softmax, or its logarithm, along the middle one of three merged dimensions. A row is read twice: for its maximum and sum,
// and for its results.

struct Params {
    len: u32,
    inner: u32,
    tasks: u32,
    // The bits of -inf.
    identity: u32,
}

@group(0) @binding(0) var<storage, read> x: array<{{type}}>;
@group(0) @binding(1) var<storage, read_write> y: array<{{type}}>;
@group(0) @binding(2) var<uniform> params: Params;

{{shared/index}}
{{shared/exponentials}}
{{shared/ln}}
{{team}}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let task = task_index(group, groups, local);
    if task >= params.tasks {
        return;
    }
    let start = task / params.inner * params.len * params.inner + task % params.inner;
    var acc = identity();
    for (var i = member(local); i < params.len; i += TEAM) {
        acc = step(acc, f32(x[start + i * params.inner]), i);
    }
    acc = combine_team(acc, local);
    let max = acc.max;
    // A row whose maximum is infinite or NaN is NaN.
    let sum = select(acc.sum, not_a_number(), is_nan(max) || is_inf(max));
    let log_sum = logarithm(sum);
    for (var i = member(local); i < params.len; i += TEAM) {
        let at = start + i * params.inner;
        let shifted = f32(x[at]) - max;
        y[at] = {{type}}({{result}});
    }
}
