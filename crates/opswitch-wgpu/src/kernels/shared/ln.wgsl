{{shared/float}}

// ln(1 + x) for 1 + x between sqrt(1/2) and sqrt(2), by Cephes' polynomial.
fn logarithm_near_one(x: f32) -> f32 {
    let z = x * x;
    var p = 7.0376836292e-2;
    p = p * x - 1.1514610310e-1;
    p = p * x + 1.1676998740e-1;
    p = p * x - 1.2420140846e-1;
    p = p * x + 1.4249322787e-1;
    p = p * x - 1.6668057665e-1;
    p = p * x + 2.0000714765e-1;
    p = p * x - 2.4999993993e-1;
    p = p * x + 3.3333331174e-1;
    return x + (p * x * z - 0.5 * z);
}

// The natural logarithm; devices may lose all digits near 1.
fn logarithm(x: f32) -> f32 {
    if is_nan(x) || (is_inf(x) && !is_negative(x)) {
        return x;
    }
    if x == 0.0 {
        return -infinity();
    }
    if x < 0.0 {
        return not_a_number();
    }
    let is_small = x < 1.1754944e-38;
    let bits = bitcast<u32>(select(x, x * 33554432.0, is_small));
    var exponent = i32(bits >> 23u) - select(127, 152, is_small);
    var mantissa = bitcast<f32>((bits & 0x7fffffu) | 0x3f800000u);
    if mantissa > 1.41421356 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let n = f32(exponent);
    return (logarithm_near_one(mantissa - 1.0) - n * 2.12194440e-4) + n * 0.693359375;
}

fn logarithm_of_one_plus(x: f32) -> f32 {
    if x > -0.29 && x < 0.41 {
        return logarithm_near_one(x);
    }
    return logarithm(1.0 + x);
}
