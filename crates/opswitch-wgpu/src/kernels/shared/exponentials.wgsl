{{shared/exp}}

// Σ e^x, as `sum * e^max`, which does not overflow.
struct Acc {
    max: f32,
    sum: f32,
}

fn identity() -> Acc {
    return Acc(bitcast<f32>(params.identity), 0.0);
}

fn step(acc: Acc, x: f32, position: u32) -> Acc {
    return combine(acc, Acc(x, 1.0));
}

fn combine(lhs: Acc, rhs: Acc) -> Acc {
    if is_nan(lhs.max) {
        return lhs;
    }
    if is_nan(rhs.max) {
        return rhs;
    }
    // Infinities are equal, while their difference is NaN.
    let scale = select(exponential(-abs(lhs.max - rhs.max)), 1.0, lhs.max == rhs.max);
    if rhs.max > lhs.max {
        return Acc(rhs.max, lhs.sum * scale + rhs.sum);
    }
    return Acc(lhs.max, lhs.sum + rhs.sum * scale);
}
