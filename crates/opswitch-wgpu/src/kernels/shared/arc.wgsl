{{shared/float}}

const HALF_PI: f32 = 1.57079633;
const PI: f32 = 3.14159265;

// Cephes' polynomials.
fn arc_sine_near_zero(x: f32) -> f32 {
    let z = x * x;
    var p = 4.2163199048e-2;
    p = p * z + 2.4181311049e-2;
    p = p * z + 4.5470025998e-2;
    p = p * z + 7.4953002686e-2;
    p = p * z + 1.6666752422e-1;
    return p * z * x + x;
}

// Twice the arc sine of sqrt((1 - x) / 2), which is the arc cosine, for x from 1/2 to 1.
fn arc_cosine_near_one(x: f32) -> f32 {
    return 2.0 * arc_sine_near_zero(sqrt(0.5 * (1.0 - x)));
}

fn arc_sine(x: f32) -> f32 {
    let a = abs(x);
    if is_nan(x) || a > 1.0 {
        return not_a_number();
    }
    if a > 0.5 {
        return with_sign(HALF_PI - arc_cosine_near_one(a), x);
    }
    return arc_sine_near_zero(x);
}

fn arc_cosine(x: f32) -> f32 {
    if is_nan(x) || abs(x) > 1.0 {
        return not_a_number();
    }
    if x > 0.5 {
        return arc_cosine_near_one(x);
    }
    if x < -0.5 {
        return PI - arc_cosine_near_one(-x);
    }
    return HALF_PI - arc_sine_near_zero(x);
}

// For x from 0 to 1.
fn arc_tangent_below_one(x: f32) -> f32 {
    let is_reduced = x > 0.414213562;
    let r = select(x, (x - 1.0) / (x + 1.0), is_reduced);
    let z = r * r;
    var p = 8.05374449538e-2;
    p = p * z - 1.38776856032e-1;
    p = p * z + 1.99777106478e-1;
    p = p * z - 3.33329491539e-1;
    return select(0.0, 0.785398163, is_reduced) + (p * z * r + r);
}

fn arc_tangent(x: f32) -> f32 {
    if is_nan(x) {
        return x;
    }
    let a = abs(x);
    if a > 1.0 {
        return with_sign(HALF_PI - arc_tangent_below_one(1.0 / a), x);
    }
    return with_sign(arc_tangent_below_one(a), x);
}

// The angle of the point (x, y).
fn angle_of(y: f32, x: f32) -> f32 {
    if is_nan(x) || is_nan(y) {
        return not_a_number();
    }
    let a = abs(x);
    let b = abs(y);
    var ratio = min(a, b) / max(a, b);
    if a == b {
        // 0/0 and inf/inf too.
        ratio = select(1.0, 0.0, a == 0.0);
    }
    var angle = arc_tangent_below_one(ratio);
    angle = select(angle, HALF_PI - angle, b > a);
    angle = select(angle, PI - angle, is_negative(x));
    return with_sign(angle, y);
}
