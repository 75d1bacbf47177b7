// The 64 invocations of a group do a task together.

var<workgroup> accs: array<Acc, 64>;

fn task_index(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return linear_index(group, groups, 0u, 1u);
}

// Scans a range of elements, and gives what it and those before it combine to (Hillis and Steele 1986).
fn scan_block(start: u32, range: vec2<u32>, before: Acc, local: u32) -> Acc {
    let at = start + (range.x + local) * params.inner;
    let is_inside = range.x + local < range.y;
    var acc = identity();
    if is_inside {
        acc = Acc(x[at]);
    }
    accs[local] = acc;
    workgroupBarrier();
    for (var distance = 1u; distance < BLOCK; distance *= 2u) {
        if local >= distance {
            acc = combine(accs[local - distance], acc);
        }
        workgroupBarrier();
        accs[local] = acc;
        workgroupBarrier();
    }
    if is_inside {
        y[at] = {{output}}(combine(before, acc));
    }
    let whole = accs[BLOCK - 1u];
    workgroupBarrier();
    return combine(before, whole);
}
