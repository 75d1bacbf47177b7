// The number of an invocation in a grid that may be folded: `size` invocations a group, in one dimension.
fn linear_index(group: vec3<u32>, groups: vec3<u32>, local: u32, size: u32) -> u32 {
    return (group.y * groups.x + group.x) * size + local;
}
