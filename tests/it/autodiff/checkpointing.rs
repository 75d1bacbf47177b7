//! Values that are computed again instead of being kept.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use opswitch::{
    AutodiffOps as _, BackwardError, BackwardOptions, Dispatch, DispatchDevice, FloatTensor,
    backend_extension,
    ops::{CoreOps, FloatOps as _},
};
use opswitch_cpu::Cpu;

use super::{
    Float, RETAIN, assert_close, backward, backward_with, balanced, device, grad, on, require_grad, values,
};

/// How often a kernel ran.
type Calls = Arc<AtomicUsize>;

#[backend_extension(dispatch = opswitch::Dispatch)]
pub(super) trait CountedOps: CoreOps {
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_cos(x));
    }]
    fn counted_sin(x: FloatTensor<Self>, calls: &Arc<AtomicUsize>) -> FloatTensor<Self>;

    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, output);
    }]
    fn counted_exp(x: FloatTensor<Self>, calls: &Arc<AtomicUsize>) -> FloatTensor<Self>;

    #[op(memory_bound)]
    #[backward {
        lhs => B::float_mul(grad, rhs);
        rhs => B::float_mul(grad, lhs);
    }]
    fn counted_mul(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        calls: &Arc<AtomicUsize>,
    ) -> FloatTensor<Self>;
}

impl CountedOps for Cpu {
    fn counted_sin(x: FloatTensor<Self>, calls: &Arc<AtomicUsize>) -> FloatTensor<Self> {
        calls.fetch_add(1, Ordering::Relaxed);
        Self::float_sin(x)
    }

    fn counted_exp(x: FloatTensor<Self>, calls: &Arc<AtomicUsize>) -> FloatTensor<Self> {
        calls.fetch_add(1, Ordering::Relaxed);
        Self::float_exp(x)
    }

    fn counted_mul(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        calls: &Arc<AtomicUsize>,
    ) -> FloatTensor<Self> {
        calls.fetch_add(1, Ordering::Relaxed);
        Self::float_mul(lhs, rhs)
    }
}

const LENGTH: usize = 64;

/// Runs a chain of the step on a device: the gradient, and how often the kernels ran in the walk back.
fn walk(device: &DispatchDevice, step: impl Fn(Float, &Calls) -> Float) -> (Vec<f64>, usize) {
    let calls = Calls::default();
    let x = require_grad(on(device, &[0.9, -0.4], &[2]));
    let y = (0..LENGTH).fold(x.clone(), |y, _| step(y, &calls));
    assert_eq!(calls.swap(0, Ordering::Relaxed), LENGTH, "the forward pass runs each kernel once");
    let gradients = backward(&super::sum(y));
    (grad(&x, &gradients), calls.load(Ordering::Relaxed))
}

#[track_caller]
fn assert_computed_again(step: impl Fn(Float, &Calls) -> Float) {
    let (kept, none) = walk(&device(), &step);
    let (again, some) = walk(&balanced(), &step);
    assert_eq!(none, 0, "nothing is computed again without checkpointing");
    assert_close(&again, &kept, 1e-14);
    // Each value is computed again once for itself, and at most for the seven that it stands behind.
    assert!((LENGTH / 2..=LENGTH * 8).contains(&some), "{some} kernels ran again for {LENGTH} ops");
}

#[test]
fn an_input_is_computed_again() {
    assert_computed_again(Dispatch::counted_sin);
}

#[test]
fn an_output_is_computed_again() {
    assert_computed_again(|y, calls| Dispatch::counted_exp(Dispatch::float_neg(y), calls));
}

#[test]
fn an_input_that_is_used_twice_is_computed_again_once() {
    assert_computed_again(|y, calls| Dispatch::counted_mul(y.clone(), y, calls));
}

#[test]
fn a_retained_graph_is_computed_again_each_time() {
    let calls = Calls::default();
    let x = require_grad(on(&balanced(), &[0.5], &[]));
    let y = Dispatch::float_sin(Dispatch::counted_sin(x.clone(), &calls));
    let want = 0.5f64.sin().cos() * 0.5f64.cos();
    assert_close(&grad(&x, &backward_with(&y, RETAIN)), &[want], 1e-14);
    assert_close(&grad(&x, &backward(&y)), &[want], 1e-14);
    assert_eq!(calls.load(Ordering::Relaxed), 3, "once forward, once for each walk");
    let error = Dispatch::backward(y, None, BackwardOptions::default()).expect_err("the graph is freed");
    assert_eq!(error, BackwardError::Freed { op: "FloatOps::float_sin" });
}

#[test]
fn ops_that_are_not_memory_bound_are_kept() {
    let x = require_grad(on(&balanced(), &[0.5, -0.25, 1.0, 2.0], &[2, 2]));
    let product = Dispatch::float_matmul(x.clone(), x.clone());
    let y = super::sum(Dispatch::float_square(Dispatch::float_tanh(product.clone())));
    let gradients = backward(&y);
    // 2 tanh(p) (1 - tanh²(p)), through p = x x
    let slope: Vec<f64> =
        values(&product).iter().map(|p| 2.0 * p.tanh() * (1.0 - p.tanh().powi(2))).collect();
    let x_values = [0.5, -0.25, 1.0, 2.0];
    let at = |values: &[f64], row: usize, column: usize| values[2 * row + column];
    let want: Vec<f64> = (0..4)
        .map(|position| {
            let (row, column) = (position / 2, position % 2);
            (0..2)
                .map(|k| {
                    at(&slope, row, k) * at(&x_values, column, k)
                        + at(&x_values, k, row) * at(&slope, k, column)
                })
                .sum()
        })
        .collect();
    assert_close(&grad(&x, &gradients), &want, 1e-12);
}

#[test]
fn a_balanced_tensor_beside_a_plain_one_stays_balanced() {
    let calls = Calls::default();
    let x = require_grad(on(&balanced(), &[0.5], &[]));
    let plain = on(&super::plain(), &[2.0], &[]);
    let y = Dispatch::float_square(Dispatch::counted_mul(plain, x.clone(), &calls));
    assert_close(&grad(&x, &backward(&y)), &[4.0], 1e-14);
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}
