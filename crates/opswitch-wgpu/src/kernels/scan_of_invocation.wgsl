// One invocation does a task alone.

fn task_index(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return linear_index(group, groups, local, 64u);
}

// Scans a range of elements, and gives what it and those before it combine to.
fn scan_block(start: u32, range: vec2<u32>, before: Acc, local: u32) -> Acc {
    var acc = identity();
    for (var i = range.x; i < range.y; i++) {
        let at = start + i * params.inner;
        acc = combine(acc, Acc(x[at]));
        y[at] = {{output}}(combine(before, acc));
    }
    return combine(before, acc);
}
