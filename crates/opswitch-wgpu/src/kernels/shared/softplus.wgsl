{{shared/exp}}
{{shared/ln}}

// ln(1 + e^x). The exponent is never positive, so nothing overflows.
fn softplus(x: f32) -> f32 {
    return at_least(x, 0.0) + logarithm_of_one_plus(exponential(-abs(x)));
}
