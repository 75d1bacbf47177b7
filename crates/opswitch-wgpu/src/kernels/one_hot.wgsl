// A row of classes for each index: 1 at the index, 0 elsewhere. An index that is no class has a row of zeros.

struct Params {
    len: u32,
    num_classes: u32,
}

@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<{{type}}>;
@group(0) @binding(2) var<uniform> params: Params;

{{shared/index}}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let position = linear_index(group, groups, local, 256u);
    if position < params.len {
        let column = position % params.num_classes;
        y[position] = {{type}}(indices[position / params.num_classes] == column);
    }
}
