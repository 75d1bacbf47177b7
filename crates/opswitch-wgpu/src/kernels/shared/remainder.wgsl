{{shared/float}}

// The exponent of a float that is taken for an integer times a power of two, and that integer.
fn exponent_bits(bits: u32) -> u32 {
    return max(bits >> 23u, 1u);
}

fn mantissa_bits(bits: u32) -> u32 {
    return (bits & 0x7fffffu) | select(0u, 0x800000u, bits >= 0x800000u);
}

// The remainder of |x| / |y|, exactly: long division of the integers, eight bits at a time.
fn remainder_of_magnitudes(x: f32, y: f32) -> f32 {
    let a = bitcast<u32>(abs(x));
    let b = bitcast<u32>(abs(y));
    if a < b {
        return abs(x);
    }
    let divisor = mantissa_bits(b);
    var rest = mantissa_bits(a) % divisor;
    var shift = exponent_bits(a) - exponent_bits(b);
    while shift > 0u {
        let step = min(shift, 8u);
        rest = (rest << step) % divisor;
        shift -= step;
    }
    // In two steps, since 2^exponent alone may be out of range.
    let exponent = i32(exponent_bits(b)) - 150;
    let half = exponent / 2;
    return f32(rest) * power_of_two(half) * power_of_two(exponent - half);
}

// The remainder with the sign of the divisor; a remainder of 0 has that sign too.
fn remainder(x: f32, y: f32) -> f32 {
    if is_nan(x) || is_nan(y) || is_inf(x) || y == 0.0 {
        return not_a_number();
    }
    let magnitude = remainder_of_magnitudes(x, y);
    if magnitude == 0.0 {
        return with_sign(0.0, y);
    }
    if is_negative(x) == is_negative(y) {
        return with_sign(magnitude, y);
    }
    return y - with_sign(magnitude, y);
}
