// Where element `index` of the result lies in each of three strided tensors: in `y`, `z` and `w`. The parameters have
// `rank`, `offsets` and `dims`, innermost dimension first.
fn places(index: u32) -> vec4<u32> {
    var rest = index;
    var place = params.offsets;
    if params.rank == 0u {
        return place;
    }
    let last = params.rank - 1u;
    for (var d = 0u; d < last; d++) {
        let dim = params.dims[d];
        let quotient = rest / dim.x;
        place += dim * (rest - quotient * dim.x);
        rest = quotient;
    }
    return place + params.dims[last] * rest;
}
