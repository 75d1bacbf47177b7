// Scans the middle one of three merged dimensions, in pieces of `piece` elements: each becomes what it and those before it
// combine to.
//
// Blocks of 64 elements are scanned before they are combined with what came before them, so that the rounding error of a
// sum grows with the number of blocks and not with that of the elements.

struct Params {
    len: u32,
    inner: u32,
    piece: u32,
    pieces: u32,
    tasks: u32,
    // The bits of what nothing combines to.
    identity: u32,
}

alias Acc = {{wide}};

@group(0) @binding(0) var<storage, read> x: array<{{input}}>;
@group(0) @binding(1) var<storage, read_write> y: array<{{output}}>;
{{start}}

fn identity() -> Acc {
    return bitcast<Acc>(params.identity);
}

fn combine(lhs: Acc, rhs: Acc) -> Acc {
    return {{combined}};
}

{{shared/index}}

const BLOCK: u32 = 64u;

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
    let row = task / params.inner;
    let first = row % params.pieces * params.piece;
    let end = min(first + params.piece, params.len);
    let start = row / params.pieces * params.len * params.inner + task % params.inner;
    var before = start_of(task, row % params.pieces);
    for (var i = first; i < end; i += BLOCK) {
        before = scan_block(start, vec2(i, min(i + BLOCK, end)), before, local);
    }
}
