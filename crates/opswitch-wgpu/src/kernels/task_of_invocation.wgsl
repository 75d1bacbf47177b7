// One invocation does a task alone.

const TEAM: u32 = 1u;

fn task_index(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return linear_index(group, groups, local, 64u);
}

fn member(local: u32) -> u32 {
    return 0u;
}

fn combine_team(acc: Acc, local: u32) -> Acc {
    return acc;
}
