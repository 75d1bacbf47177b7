{{shared/float}}

// x less the nearest multiple of pi/2, and which multiple that is, modulo 4. Pi/2 is in three parts, whose products with
// up to 13 bits are exact: above 10,000 digits are lost.
struct Reduced {
    rest: f32,
    quadrant: u32,
}

fn reduce_angle(x: f32) -> Reduced {
    let n = round(x * 0.636619772);
    let rest = ((x - n * 1.5703125) - n * 4.837512969970703e-4) - n * 7.549789954891882e-8;
    return Reduced(rest, u32(i32(clamp(n, -2.0e9, 2.0e9))) & 3u);
}

// Cephes' polynomials, for |x| up to pi/4.
fn sine_near_zero(x: f32) -> f32 {
    let z = x * x;
    return ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * x + x;
}

fn cosine_near_zero(x: f32) -> f32 {
    let z = x * x;
    return ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
}

fn sine_of_quadrant(rest: f32, quadrant: u32) -> f32 {
    var y = sine_near_zero(rest);
    if (quadrant & 1u) == 1u {
        y = cosine_near_zero(rest);
    }
    return select(y, -y, (quadrant & 2u) == 2u);
}

fn sine(x: f32) -> f32 {
    if is_nan(x) || is_inf(x) {
        return not_a_number();
    }
    let reduced = reduce_angle(x);
    return sine_of_quadrant(reduced.rest, reduced.quadrant);
}

fn cosine(x: f32) -> f32 {
    if is_nan(x) || is_inf(x) {
        return not_a_number();
    }
    let reduced = reduce_angle(x);
    return sine_of_quadrant(reduced.rest, reduced.quadrant + 1u);
}

fn tangent(x: f32) -> f32 {
    if is_nan(x) || is_inf(x) {
        return not_a_number();
    }
    let reduced = reduce_angle(x);
    let s = sine_near_zero(reduced.rest);
    let c = cosine_near_zero(reduced.rest);
    return select(s / c, -c / s, (reduced.quadrant & 1u) == 1u);
}
