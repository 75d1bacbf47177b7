{{shared/float}}

// Towards zero; what does not fit is the nearest value that does, and NaN is 0.
fn float_to_i32(x: f32) -> i32 {
    if is_nan(x) {
        return 0;
    }
    return select(i32(clamp(x, -2147483648.0, 2147483520.0)), 2147483647, x >= 2147483648.0);
}

fn float_to_u32(x: f32) -> u32 {
    if is_nan(x) {
        return 0u;
    }
    return select(u32(clamp(x, 0.0, 4294967040.0)), 4294967295u, x >= 4294967296.0);
}

// Whether x is not 0 of either sign.
fn float_to_bool(x: f32) -> bool {
    return (bitcast<u32>(x) << 1u) != 0u;
}
