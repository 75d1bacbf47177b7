//! A graph that several threads build and walk.

use std::thread;

use opswitch::{AutodiffOps as _, Dispatch, ops::FloatOps as _};

use super::{RETAIN, assert_close, backward, constant, grad, tracked};

#[test]
fn a_graph_is_built_on_one_thread_and_walked_on_another() {
    let x = tracked(&[0.5, 1.5], &[2]);
    let input = x.clone();
    let built = thread::spawn(move || Dispatch::float_sum(Dispatch::float_square(input), &[0], false));
    let y = built.join().expect("the thread ends well");
    let y = Dispatch::float_mul_scalar(y, 3.0);
    let gradients = thread::spawn(move || backward(&y)).join().expect("the thread ends well");
    assert_eq!(grad(&x, &gradients), [3.0, 9.0]);
}

#[test]
fn threads_walk_a_shared_part_at_once() {
    let x = tracked(&[0.5], &[]);
    // exp(x)^100 by repeated products of the shared part: long enough for the walks to overlap.
    let shared = (0..500).fold(x.clone(), |y, _| Dispatch::float_add_scalar(Dispatch::float_abs(y), 0.0));
    let walk = |factor: f64| {
        let y = Dispatch::float_mul_scalar(shared.clone(), factor);
        let gradients = Dispatch::backward(y, None, RETAIN).expect("the graph is kept");
        grad(&x, &gradients)
    };
    thread::scope(|scope| {
        let walks: Vec<_> =
            (1..=8).map(|factor| scope.spawn(move || (factor, walk(f64::from(factor))))).collect();
        for walk in walks {
            let (factor, gradient) = walk.join().expect("the thread ends well");
            assert_eq!(gradient, [f64::from(factor)]);
        }
    });
}

#[test]
fn threads_share_a_leaf_and_nothing_else() {
    let w = tracked(&[0.5, -1.0], &[2]);
    let walk = |seed: f64| {
        let x = constant(&[seed, seed], &[2]);
        let loss =
            Dispatch::float_sum(Dispatch::float_square(Dispatch::float_mul(w.clone(), x)), &[0], false);
        grad(&w, &backward(&loss))
    };
    thread::scope(|scope| {
        let walks: Vec<_> = (1..=8).map(|seed| scope.spawn(move || (seed, walk(f64::from(seed))))).collect();
        for walk in walks {
            let (seed, gradient) = walk.join().expect("the thread ends well");
            let square = f64::from(seed * seed);
            assert_close(&gradient, &[square, -2.0 * square], 1e-12);
        }
    });
}
