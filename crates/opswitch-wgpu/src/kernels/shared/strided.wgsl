// Where element `index` of the result lies in each of three strided tensors: in `y`, `z` and `w`. The parameters have
// `offsets` and `dims`, innermost dimension first; their number is known when the kernel is compiled, so that the loop is
// unrolled and the strides are constants.
fn places(index: u32) -> vec4<u32> {
    const last = {{rank}}u - 1u;
    var rest = index;
    var place = params.offsets;
    for (var d = 0u; d < last; d++) {
        let dim = params.dims[d];
        let quotient = rest / dim.x;
        place += dim * (rest - quotient * dim.x);
        rest = quotient;
    }
    return place + params.dims[last] * rest;
}
