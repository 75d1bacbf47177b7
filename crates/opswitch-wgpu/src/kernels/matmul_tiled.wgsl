// Matrix products in tiles of 64 x 64. Slices of both matrices, 16 deep, stand in the memory of the group, and each of its
// 256 invocations adds up 4 x 4 elements, 16 apart in both directions.

{{shared/matmul}}

const TILE: u32 = 64u;
const DEPTH: u32 = 16u;
// One more than a tile, so that invocations that write along the depth do not meet in one bank.
const PITCH: u32 = 65u;

var<workgroup> lhs_tile: array<f32, 1040>;
var<workgroup> rhs_tile: array<f32, 1040>;

// The step along the tile and along the depth of element `i` of a slice: neighbours read what lies next to each other.
fn slice_position(i: u32, depth_stride: u32) -> vec2<u32> {
    if depth_stride == 1u {
        return vec2(i / DEPTH, i % DEPTH);
    }
    return vec2(i % TILE, i / TILE);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = linear_index(group, groups, 0u, 1u);
    if index >= params.tiles {
        return;
    }
    let tile = tile_of(index, TILE, TILE);
    let row = local / 16u;
    let column = local % 16u;
    // Rows and columns beyond the end repeat the last: they are computed, and not written.
    let last = vec2(params.rows - 1u, params.columns - 1u);

    var sums: array<vec4<f32>, 4>;
    for (var depth = tile.depth; depth < tile.depth_end; depth += DEPTH) {
        for (var i = local; i < TILE * DEPTH; i += 256u) {
            let l = slice_position(i, params.lhs_strides.y);
            let k = depth + l.y;
            let place = min(tile.row + l.x, last.x) * params.lhs_strides.x + min(k, params.depth - 1u) * params.lhs_strides.y;
            lhs_tile[l.y * PITCH + l.x] = select(0.0, f32(lhs[tile.lhs + place]), k < tile.depth_end);
        }
        for (var i = local; i < TILE * DEPTH; i += 256u) {
            let r = slice_position(i, params.rhs_strides.x);
            let k = depth + r.y;
            let place = min(k, params.depth - 1u) * params.rhs_strides.x + min(tile.column + r.x, last.y) * params.rhs_strides.y;
            rhs_tile[r.y * PITCH + r.x] = select(0.0, f32(rhs[tile.rhs + place]), k < tile.depth_end);
        }
        workgroupBarrier();
        for (var k = 0u; k < DEPTH; k++) {
            let l = k * PITCH + row;
            let r = k * PITCH + column;
            let columns = vec4(rhs_tile[r], rhs_tile[r + 16u], rhs_tile[r + 32u], rhs_tile[r + 48u]);
            sums[0] += lhs_tile[l] * columns;
            sums[1] += lhs_tile[l + 16u] * columns;
            sums[2] += lhs_tile[l + 32u] * columns;
            sums[3] += lhs_tile[l + 48u] * columns;
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            write(tile, tile.row + row + 16u * i, tile.column + column + 16u * j, sums[i][j]);
        }
    }
}
