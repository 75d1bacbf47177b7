// max(lhs rhs + bias, 0) for row-major matrices. A workgroup computes a tile of 16 by 16, from tiles of both sides that it
// shares.

struct Params {
    rows: u32,
    inner: u32,
    columns: u32,
    has_bias: u32,
}

@group(0) @binding(0) var<storage, read> lhs: array<f32>;
@group(0) @binding(1) var<storage, read> rhs: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;
@group(0) @binding(4) var<uniform> params: Params;

const TILE = 16u;

var<workgroup> left: array<array<f32, TILE>, TILE>;
var<workgroup> right: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) place: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = place.y;
    let column = place.x;
    var sum = 0.0;
    for (var start = 0u; start < params.inner; start += TILE) {
        let left_column = start + local.x;
        let right_row = start + local.y;
        var left_value = 0.0;
        if row < params.rows && left_column < params.inner {
            left_value = lhs[row * params.inner + left_column];
        }
        var right_value = 0.0;
        if right_row < params.inner && column < params.columns {
            right_value = rhs[right_row * params.columns + column];
        }
        left[local.y][local.x] = left_value;
        right[local.y][local.x] = right_value;
        workgroupBarrier();
        for (var i = 0u; i < TILE; i++) {
            sum += left[local.y][i] * right[i][local.x];
        }
        workgroupBarrier();
    }
    if row < params.rows && column < params.columns {
        if params.has_bias != 0u {
            sum += bias[column];
        }
        // NaN is not negative: it stays.
        result[row * params.columns + column] = select(sum, 0.0, sum < 0.0);
    }
}
