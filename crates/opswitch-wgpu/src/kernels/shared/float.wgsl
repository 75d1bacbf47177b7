// What a compiler may get wrong if it takes all floats for finite: NaN is known by its bits, and infinity and NaN are made
// at run time.
fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn is_inf(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}

// Whether neither is NaN.
fn are_ordered(x: f32, y: f32) -> bool {
    return !(is_nan(x) || is_nan(y));
}

fn is_negative(x: f32) -> bool {
    return (bitcast<u32>(x) >> 31u) == 1u;
}

fn with_sign(x: f32, sign: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(sign) & 0x80000000u));
}

fn infinity() -> f32 {
    var bits = 0x7f800000u;
    return bitcast<f32>(bits);
}

fn not_a_number() -> f32 {
    var bits = 0x7fc00000u;
    return bitcast<f32>(bits);
}

// x or `bound`; NaN stays.
fn at_least(x: f32, bound: f32) -> f32 {
    return select(x, bound, x < bound && !is_nan(x));
}

fn at_most(x: f32, bound: f32) -> f32 {
    return select(x, bound, x > bound && !is_nan(x));
}

fn least(x: f32, y: f32) -> f32 {
    return select(y, x, is_nan(x) || (x < y && !is_nan(y)));
}

fn greatest(x: f32, y: f32) -> f32 {
    return select(y, x, is_nan(x) || (x > y && !is_nan(y)));
}

// Two to the power of n, for n in -126..=127.
fn power_of_two(n: i32) -> f32 {
    return bitcast<f32>(u32(n + 127) << 23u);
}
