struct Params {
    rows: u32,
    columns: u32,
    // The extent that is summed over, and how much of it one group does.
    depth: u32,
    piece: u32,
    pieces: u32,
    row_tiles: u32,
    column_tiles: u32,
    // Groups that have a tile.
    tiles: u32,
    // Rows and columns of each matrix.
    lhs_strides: vec2<u32>,
    rhs_strides: vec2<u32>,
    y_strides: vec2<u32>,
    // Of the batch dimensions.
    offsets: vec4<u32>,
    dims: array<vec4<u32>, 56>,
}

@group(0) @binding(0) var<storage, read> lhs: array<{{input}}>;
@group(0) @binding(1) var<storage, read> rhs: array<{{input}}>;
@group(0) @binding(2) var<storage, read_write> y: array<{{output}}>;
@group(0) @binding(3) var<uniform> params: Params;

{{shared/index}}
{{shared/strided}}

// What one group computes.
struct Tile {
    row: u32,
    column: u32,
    depth: u32,
    depth_end: u32,
    // Where the matrices start.
    lhs: u32,
    rhs: u32,
    y: u32,
}

fn tile_of(index: u32, tile_rows: u32, tile_columns: u32) -> Tile {
    let row_tile = index / params.column_tiles;
    let matrix = row_tile / params.row_tiles;
    let place = places(matrix / params.pieces);
    let depth = matrix % params.pieces * params.piece;
    return Tile(
        row_tile % params.row_tiles * tile_rows,
        index % params.column_tiles * tile_columns,
        depth,
        min(depth + params.piece, params.depth),
        place.y,
        place.z,
        matrix * params.rows * params.columns,
    );
}

fn write(tile: Tile, row: u32, column: u32, value: f32) {
    if row < params.rows && column < params.columns {
        y[tile.y + row * params.y_strides.x + column * params.y_strides.y] = {{output}}(value);
    }
}
