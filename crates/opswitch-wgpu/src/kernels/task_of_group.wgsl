// The 64 invocations of a group do a task together.

const TEAM: u32 = 64u;

var<workgroup> accs: array<Acc, 64>;

fn task_index(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return linear_index(group, groups, 0u, 1u);
}

fn member(local: u32) -> u32 {
    return local;
}

// What the accumulators of the team combine to, pairwise; every member gets it.
fn combine_team(acc: Acc, local: u32) -> Acc {
    accs[local] = acc;
    workgroupBarrier();
    for (var half = TEAM / 2u; half > 0u; half /= 2u) {
        if local < half {
            accs[local] = combine(accs[local], accs[local + half]);
        }
        workgroupBarrier();
    }
    return accs[0];
}
