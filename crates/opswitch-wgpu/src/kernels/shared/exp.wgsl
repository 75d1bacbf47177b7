{{shared/float}}

// e^x and e^x - 1. Devices may be off by many units in the last place; these are off by two.
// The argument is reduced by multiples of ln 2 in two parts (Cody and Waite), the rest is Cephes' polynomial.
fn exponential(x: f32) -> f32 {
    if is_nan(x) {
        return x;
    }
    let bounded = clamp(x, -104.0, 89.0);
    let n = round(bounded * 1.44269504);
    let r = (bounded - n * 0.693359375) + n * 2.12194440e-4;
    var p = 1.9875691500e-4;
    p = p * r + 1.3981999507e-3;
    p = p * r + 8.3334519073e-3;
    p = p * r + 4.1665795894e-2;
    p = p * r + 1.6666665459e-1;
    p = p * r + 5.0000001201e-1;
    p = p * (r * r) + r + 1.0;
    // In two steps, since 2^n alone may be out of range.
    let half = i32(n) / 2;
    return p * power_of_two(half) * power_of_two(i32(n) - half);
}

fn exponential_minus_one(x: f32) -> f32 {
    if abs(x) > 0.35 || is_nan(x) {
        return exponential(x) - 1.0;
    }
    var p = 2.48015873e-5;
    p = p * x + 1.98412698e-4;
    p = p * x + 1.38888889e-3;
    p = p * x + 8.33333333e-3;
    p = p * x + 4.16666667e-2;
    p = p * x + 1.66666667e-1;
    p = p * x + 0.5;
    return p * (x * x) + x;
}

// The logistic function. The exponent is never positive, so nothing overflows.
fn logistic(x: f32) -> f32 {
    let decay = exponential(-abs(x));
    return select(1.0, decay, x < 0.0) / (1.0 + decay);
}
