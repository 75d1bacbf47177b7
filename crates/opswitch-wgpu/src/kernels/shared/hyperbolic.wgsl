{{shared/exp}}

// Near 0 by Cephes' polynomials, where the difference of exponentials would lose digits. Elsewhere e^(x/2) is squared, so
// that nothing overflows before the result does.
fn hyperbolic_sine(x: f32) -> f32 {
    if abs(x) < 1.0 {
        let z = x * x;
        return ((2.03721912945e-4 * z + 8.33028376239e-3) * z + 1.66667160211e-1) * z * x + x;
    }
    let e = exponential(0.5 * abs(x));
    return with_sign(0.5 * e * e - 0.5 / e / e, x);
}

fn hyperbolic_cosine(x: f32) -> f32 {
    let e = exponential(0.5 * abs(x));
    return 0.5 * e * e + 0.5 / e / e;
}

fn hyperbolic_tangent(x: f32) -> f32 {
    if is_nan(x) {
        return x;
    }
    if abs(x) < 0.625 {
        let z = x * x;
        var p = -5.70498872745e-3;
        p = p * z + 2.06390887954e-2;
        p = p * z - 5.37397155531e-2;
        p = p * z + 1.33314422036e-1;
        p = p * z - 3.33332819422e-1;
        return p * z * x + x;
    }
    // Above 10 the result is 1 in 24 bits.
    let e = exponential(2.0 * min(abs(x), 10.0));
    return with_sign(1.0 - 2.0 / (e + 1.0), x);
}
