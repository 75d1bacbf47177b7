{{shared/exp}}
{{shared/ln}}

// x to the power of an integer, by repeated squaring.
fn integer_power(x: f32, exponent: i32) -> f32 {
    var power = 1.0;
    var square = x;
    // The least integer has no positive counterpart in `i32`, but in `u32`.
    var bits = select(u32(exponent), 0u - u32(exponent), exponent < 0);
    while bits > 0u {
        if (bits & 1u) == 1u {
            power *= square;
        }
        square *= square;
        bits >>= 1u;
    }
    return select(power, 1.0 / power, exponent < 0);
}

fn is_odd(y: f32) -> bool {
    return abs(y) < 16777216.0 && (i32(clamp(y, -16777216.0, 16777216.0)) & 1) == 1;
}

// x to the power of y, with the special cases of IEEE 754's `pow`.
fn power(x: f32, y: f32) -> f32 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if is_nan(x) || is_nan(y) {
        return not_a_number();
    }
    let is_integer = trunc(y) == y;
    if is_integer && abs(y) <= 64.0 {
        return integer_power(x, i32(y));
    }
    if x < 0.0 && !is_integer && !is_inf(x) {
        return not_a_number();
    }
    let a = abs(x);
    // Even the infinite power of -1 is 1.
    let magnitude = select(exponential(y * logarithm(a)), 1.0, a == 1.0);
    return select(magnitude, -magnitude, is_negative(x) && is_integer && is_odd(y));
}
