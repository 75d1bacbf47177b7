//! Chains that would overflow the stack of anything that recurses, and take forever in anything that is not linear.

use std::time::{Duration, Instant};

use opswitch::{AutodiffOps as _, Dispatch, ops::FloatOps as _};

use super::{
    CREATE, Float, backward, balanced, constant, custom::ScaleOps as _, grad, grad_of, on, require_grad,
    tracked,
};

const MILLION: usize = 1_000_000;

/// Every other op keeps its input for the backward pass.
fn chain(x: &Float, length: usize) -> Float {
    (0..length).fold(x.clone(), |y, step| match step % 2 {
        0 => Dispatch::float_add_scalar(y, 0.0),
        _ => Dispatch::float_abs(y),
    })
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Four times the length may take four times as long; twelve leaves room for noise, and is below the square.
#[track_caller]
fn assert_linear(length: usize, mut run: impl FnMut(usize)) {
    let short = time(|| run(length / 4));
    let long = time(|| run(length));
    assert!(long < short * 12 + Duration::from_millis(100), "{short:?} for a quarter, {long:?} for all");
}

#[test]
fn a_million_ops_are_walked_back_and_dropped() {
    assert_linear(MILLION, |length| {
        let x = tracked(&[0.5], &[]);
        let y = chain(&x, length);
        assert_eq!(grad(&x, &backward(&y)), [1.0]);
    });
}

#[test]
fn a_million_ops_are_dropped_without_a_walk() {
    drop(chain(&tracked(&[0.5], &[]), MILLION));
}

#[test]
fn a_tensor_that_is_used_often_is_walked_in_time() {
    assert_linear(MILLION / 4, |length| {
        let x = tracked(&[0.5], &[]);
        let total = (0..length).fold(constant(&[0.0], &[]), |total, _| Dispatch::float_add(total, x.clone()));
        assert_eq!(grad(&x, &backward(&total)), [length as f64]);
    });
}

#[test]
fn a_chain_that_only_saved_values_hold_is_dropped() {
    // `factor` is not differentiable, so there is no edge to it: the formula of `x` keeps it.
    let hold = |length: usize| {
        let (x, factor) = (tracked(&[1.0], &[]), tracked(&[1.0], &[]));
        (0..length).fold(factor, |factor, _| Dispatch::scale(x.clone(), factor))
    };
    drop(hold(MILLION / 4));
}

#[test]
fn a_graph_of_gradients_is_dropped() {
    let x = tracked(&[0.5], &[]);
    let y = chain(&x, 50_000);
    let cotangent = require_grad(constant(&[1.0], &[]));
    let gradients = Dispatch::backward(y, Some(cotangent.clone()), CREATE).expect("the graph is kept");
    let gradient = grad_of(&x, &gradients).expect("a gradient");
    drop(gradients);
    assert_eq!(grad(&cotangent, &backward(&gradient)), [1.0]);
}

#[test]
fn a_long_chain_is_computed_again_in_time() {
    assert_linear(40_000, |length| {
        let x = require_grad(on(&balanced(), &[0.5], &[]));
        let y = (0..length).fold(x.clone(), |y, _| Dispatch::float_abs(y));
        assert_eq!(grad(&x, &backward(&y)), [1.0]);
    });
}

#[test]
fn a_long_chain_to_compute_again_is_dropped_without_a_walk() {
    let x = require_grad(on(&balanced(), &[0.5], &[]));
    drop((0..MILLION / 4).fold(x, |y, _| Dispatch::float_abs(y)));
}

#[test]
fn a_chain_dies_on_the_thread_that_drops_it_last() {
    let y = chain(&tracked(&[0.5], &[]), 200_000);
    std::thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(move || drop(y))
        .expect("a thread")
        .join()
        .expect("a small stack is enough");
}
