// Matrix products for drivers that compute on a CPU, in subgroups of 8, where every load costs as much as dozens of
// multiplications, from the memory of the group as from a buffer. Each invocation adds up 16 x 4 elements; of the left
// matrix it loads two, and gets the others from its subgroup.

{{shared/matmul}}

const ROWS: u32 = 16u;
const GROUP: u32 = 16u;

@compute @workgroup_size(16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let index = linear_index(group, groups, 0u, 1u);
    if index >= params.tiles {
        return;
    }
    let tile = tile_of(index, ROWS, 4u * GROUP);
    // Rows and columns beyond the end repeat the last: they are computed, and not written.
    let row = min(vec2(tile.row + lane, tile.row + lane + 8u), vec2(params.rows - 1u));
    let column = vec4(0u, GROUP, 2u * GROUP, 3u * GROUP) + tile.column + local;
    var l = tile.lhs + row * params.lhs_strides.x + tile.depth * params.lhs_strides.y;
    var r = tile.rhs + tile.depth * params.rhs_strides.x
        + min(column, vec4(params.columns - 1u)) * params.rhs_strides.y;

    var sums: array<vec4<f32>, ROWS>;
    for (var k = tile.depth; k < tile.depth_end; k++) {
        let upper = f32(lhs[l.x]);
        let lower = f32(lhs[l.y]);
        let columns = vec4(f32(rhs[r.x]), f32(rhs[r.y]), f32(rhs[r.z]), f32(rhs[r.w]));
        l += params.lhs_strides.y;
        r += params.rhs_strides.x;
        sums[0] += subgroupBroadcast(upper, 0u) * columns;
        sums[1] += subgroupBroadcast(upper, 1u) * columns;
        sums[2] += subgroupBroadcast(upper, 2u) * columns;
        sums[3] += subgroupBroadcast(upper, 3u) * columns;
        sums[4] += subgroupBroadcast(upper, 4u) * columns;
        sums[5] += subgroupBroadcast(upper, 5u) * columns;
        sums[6] += subgroupBroadcast(upper, 6u) * columns;
        sums[7] += subgroupBroadcast(upper, 7u) * columns;
        sums[8] += subgroupBroadcast(lower, 0u) * columns;
        sums[9] += subgroupBroadcast(lower, 1u) * columns;
        sums[10] += subgroupBroadcast(lower, 2u) * columns;
        sums[11] += subgroupBroadcast(lower, 3u) * columns;
        sums[12] += subgroupBroadcast(lower, 4u) * columns;
        sums[13] += subgroupBroadcast(lower, 5u) * columns;
        sums[14] += subgroupBroadcast(lower, 6u) * columns;
        sums[15] += subgroupBroadcast(lower, 7u) * columns;
    }
    for (var i = 0u; i < ROWS; i++) {
        for (var j = 0u; j < 4u; j++) {
            write(tile, tile.row + i, column[j], sums[i][j]);
        }
    }
}
