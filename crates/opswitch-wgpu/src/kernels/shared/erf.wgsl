{{shared/exp}}

// 1 - erf(x), to 1.2e-7 of itself everywhere: a Chebyshev fit (Press et al., Numerical Recipes, section 6.2).
fn complementary_error_function(x: f32) -> f32 {
    let z = abs(x);
    let t = 1.0 / (1.0 + 0.5 * z);
    var p = 0.17087277;
    p = p * t - 0.82215223;
    p = p * t + 1.48851587;
    p = p * t - 1.13520398;
    p = p * t + 0.27886807;
    p = p * t - 0.18628806;
    p = p * t + 0.09678418;
    p = p * t + 0.37409196;
    p = p * t + 1.00002368;
    p = p * t - 1.26551223;
    let tail = t * exponential(p - z * z);
    return select(tail, 2.0 - tail, x < 0.0);
}

// The error function; near 0 by Cephes' polynomial.
fn error_function(x: f32) -> f32 {
    if abs(x) > 1.0 || is_nan(x) {
        return 1.0 - complementary_error_function(x);
    }
    let z = x * x;
    var p = 7.853861353153693e-5;
    p = p * z - 8.010193625184903e-4;
    p = p * z + 5.188327685732524e-3;
    p = p * z - 2.685381193529856e-2;
    p = p * z + 1.128358514861418e-1;
    p = p * z - 3.761262582423300e-1;
    p = p * z + 1.128379165726710;
    return p * x;
}
