// Reduces the middle one of three merged dimensions, in pieces of `piece` elements: the result is
// `outer x pieces x inner`. Around it stand `Acc`, and what an accumulator does: `identity`, `step`, `combine`.
//
// Blocks of 64 elements are reduced one after another, so that the rounding error of a sum grows with the number of
// blocks and not with that of the elements.

struct Params {
    reduced: u32,
    inner: u32,
    piece: u32,
    pieces: u32,
    tasks: u32,
    // The bits of what nothing reduces to.
    identity: u32,
    divisor: f32,
}

@group(0) @binding(0) var<storage, read> x: array<{{input}}>;
@group(0) @binding(1) var<storage, read_write> y: array<{{output}}>;
@group(0) @binding(2) var<uniform> params: Params;

{{shared/index}}
{{team}}

const BLOCK: u32 = 64u;

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
    // A driver that computes on a CPU would load a parameter anew for each element.
    let inner = params.inner;
    let column = task % inner;
    let row = task / inner;
    let first = row % params.pieces * params.piece;
    let end = min(first + params.piece, params.reduced);
    let start = row / params.pieces * params.reduced * inner + column;

    var acc = identity();
    var i = first + member(local);
    while i < end {
        var block = identity();
        let block_end = min(i + BLOCK * TEAM, end);
        for (; i < block_end; i += TEAM) {
            block = step(block, {{wide}}(x[start + i * inner]), i);
        }
        acc = combine(acc, block);
    }
    acc = combine_team(acc, local);
    if member(local) == 0u {
        y[task] = {{output}}({{finished}});
    }
}
