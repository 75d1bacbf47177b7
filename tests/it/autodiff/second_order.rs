//! Derivatives of derivatives, against closed forms.

use opswitch::{AutodiffOps as _, Dispatch, ops::FloatOps as _};

use super::{
    CREATE, Float, assert_close, backward, backward_with, balanced, constant, grad, grad_of, on,
    require_grad, sum, tracked,
};

/// The gradient of y in x, part of the graph.
fn derivative(y: &Float, x: &Float) -> Float {
    grad_of(x, &backward_with(y, CREATE)).expect("a gradient")
}

#[test]
fn the_fourth_derivative_of_a_power() {
    let x = tracked(&[2.0], &[]);
    let y = Dispatch::float_powi_scalar(x.clone(), 5);
    let fourth = (0..4).fold(y, |y, _| derivative(&y, &x));
    // 5 * 4 * 3 * 2 x
    assert_close(&super::values(&fourth), &[240.0], 1e-12);
}

#[test]
fn the_derivatives_of_the_sine_go_round() {
    let x = tracked(&[0.7], &[]);
    let y = Dispatch::float_sin(x.clone());
    let fourth = (0..4).fold(y, |y, _| derivative(&y, &x));
    assert_close(&super::values(&fourth), &[0.7f64.sin()], 1e-12);
}

#[test]
fn a_mixed_derivative_is_the_same_in_both_orders() {
    let (x, y) = (tracked(&[0.7], &[]), tracked(&[1.3], &[]));
    let f = || Dispatch::float_sin(Dispatch::float_mul(x.clone(), y.clone()));
    // d²/dxdy sin(xy) = cos(xy) - xy sin(xy)
    let want = 0.91f64.cos() - 0.91 * 0.91f64.sin();
    assert_close(&grad(&y, &backward(&derivative(&f(), &x))), &[want], 1e-12);
    assert_close(&grad(&x, &backward(&derivative(&f(), &y))), &[want], 1e-12);
}

#[test]
fn a_hessian_times_a_vector_with_values_computed_again() {
    for device in [super::device(), balanced()] {
        let x = require_grad(on(&device, &[0.5, -1.0, 2.0], &[3]));
        // f = (Σ x²)² / 4 has the Hessian s I + 2 x xᵀ with s = Σ x².
        let squares = sum(Dispatch::float_square(x.clone()));
        let f = Dispatch::float_mul_scalar(Dispatch::float_square(squares), 0.25);
        let v = constant(&[1.0, 2.0, 3.0], &[3]);
        let product = sum(Dispatch::float_mul(derivative(&f, &x), v));
        // s = 5.25, x·v = 4.5
        let want = [5.25 + 9.0 * 0.5, 10.5 - 9.0, 15.75 + 18.0];
        assert_close(&grad(&x, &backward(&product)), &want, 1e-12);
    }
}

#[test]
fn a_penalty_on_the_gradient_trains_through_it() {
    let w = tracked(&[0.5, -0.25], &[2]);
    let x = tracked(&[1.0, 2.0], &[2]);
    // g = d/dx tanh(w·x) = (1 - tanh²) w, and the penalty is |g|².
    let y = Dispatch::float_tanh(sum(Dispatch::float_mul(w.clone(), x.clone())));
    let g = derivative(&y, &x);
    let gradients = backward(&sum(Dispatch::float_square(g)));
    // With u = w·x = 0: 1 - tanh² = 1 and its slope is 0, so that d|g|²/dw = 2w.
    assert_close(&grad(&w, &gradients), &[1.0, -0.5], 1e-12);
    assert!(Dispatch::is_tracked(&w));
}
