//! Which tensors get a gradient, and when.

use opswitch::{
    AutodiffOps as _, Backend as _, BackwardError, BackwardOptions, DType, Dispatch, TensorData,
    TensorHandle as _,
    ops::{FloatOps as _, IntOps as _},
};

use super::{
    CREATE, RETAIN, backward, backward_with, constant, device, grad, grad_of, on, plain, require_grad, sum,
    tracked, values,
};

#[test]
fn a_tensor_that_is_used_twice_adds_its_gradients() {
    let x = tracked(&[2.0, 3.0], &[2]);
    // d(x² + 5x)/dx, with three uses of x in two ops.
    let y = Dispatch::float_add(
        Dispatch::float_mul(x.clone(), x.clone()),
        Dispatch::float_mul_scalar(x.clone(), 5.0),
    );
    assert_eq!(grad(&x, &backward(&sum(y))), [9.0, 11.0]);
}

#[test]
fn a_diamond_is_walked_once_for_each_path() {
    let x = tracked(&[3.0], &[]);
    let mut y = x.clone();
    for _ in 0..20 {
        y = Dispatch::float_add(y.clone(), y);
    }
    assert_eq!(grad(&x, &backward(&y)), [f64::from(1 << 20)]);
}

#[test]
fn a_tracked_float_meets_a_plain_one_in_both_orders() {
    let x = tracked(&[2.0, 3.0], &[2]);
    let plain = on(&plain(), &[10.0, 20.0], &[2]);
    let after = Dispatch::float_div(x.clone(), plain.clone());
    let before = Dispatch::float_div(plain.clone(), x.clone());
    assert!(Dispatch::is_tracked(&after) && Dispatch::is_tracked(&before));
    assert_eq!((values(&after), values(&before)), (vec![0.2, 0.15], vec![5.0, 20.0 / 3.0]));
    assert_eq!(grad(&x, &backward(&sum(after))), [0.1, 0.05]);
    assert_eq!(grad(&x, &backward(&sum(before))), [-2.5, -20.0 / 9.0]);
    assert!(!Dispatch::is_tracked(&plain));
}

#[test]
fn a_float_made_from_an_int_is_a_constant_until_it_meets_a_tracked_one() {
    let data = TensorData::new(vec![4i64, -1], [2]).expect("two values");
    let int = Dispatch::int_from_data(data, &device()).expect("the CPU has i64");
    let float = Dispatch::int_into_float(int.clone(), DType::F64);
    assert!(!Dispatch::is_tracked(&float));
    let x = tracked(&[2.0, 3.0], &[2]);
    let y = Dispatch::float_mul(float, x.clone());
    assert_eq!(grad(&x, &backward(&sum(y))), [4.0, -1.0]);
    // The float itself is a plain one, which must be brought to the autodiff device to be tracked.
    let made = Dispatch::float_add(
        Dispatch::float_zeros([2].into(), DType::F64, &device()),
        Dispatch::int_into_float(int, DType::F64),
    );
    let made = require_grad(made);
    assert_eq!(grad(&made, &backward(&sum(Dispatch::float_square(made.clone())))), [8.0, -2.0]);
}

#[test]
fn a_second_walk_needs_the_graph_to_be_retained() {
    let x = tracked(&[0.5], &[]);
    let y = Dispatch::float_sin(x.clone());
    let first = grad(&x, &backward_with(&y, RETAIN));
    let second = grad(&x, &backward(&y));
    assert_eq!((first[0], second[0]), (0.5f64.cos(), 0.5f64.cos()));
    let error = Dispatch::backward(y, None, BackwardOptions::default()).expect_err("the graph is freed");
    assert_eq!(error, BackwardError::Freed { op: "FloatOps::float_sin" });
    let text = error.to_string();
    assert!(text.contains("FloatOps::float_sin") && text.contains("retain_graph"), "{text}");
}

#[test]
fn a_shared_part_that_was_freed_is_an_error_at_its_op() {
    let x = tracked(&[0.5], &[]);
    let shared = Dispatch::float_exp(x);
    let (first, second) = (Dispatch::float_sin(shared.clone()), Dispatch::float_cos(shared));
    backward(&first);
    let error =
        Dispatch::backward(second, None, BackwardOptions::default()).expect_err("the shared part is freed");
    assert_eq!(error, BackwardError::Freed { op: "FloatOps::float_exp" });
}

#[test]
fn a_tensor_that_is_not_tracked_cannot_be_walked_back_from() {
    let error = Dispatch::backward(constant(&[1.0], &[]), None, BackwardOptions::default());
    assert_eq!(error.expect_err("nothing is tracked"), BackwardError::Untracked);
    let error = Dispatch::backward(on(&plain(), &[1.0], &[]), None, BackwardOptions::default());
    let text = error.expect_err("a plain tensor").to_string();
    assert!(text.starts_with("Expected autodiff-wrapped float tensor for backend cpu."), "{text}");
}

#[test]
fn several_elements_need_a_seed_of_their_shape() {
    let x = tracked(&[1.0, 2.0, 3.0], &[3]);
    let y = Dispatch::float_square(x.clone());
    let walk = |seed| Dispatch::backward(y.clone(), seed, BackwardOptions::default());
    let error = walk(None).expect_err("three elements");
    assert_eq!(error, BackwardError::NotScalar { shape: [3].into() });
    let error = walk(Some(constant(&[1.0, 2.0], &[2]))).expect_err("a seed of another shape");
    assert_eq!(error, BackwardError::SeedShape { shape: [3].into(), seed: [2].into() });
    let gradients = walk(Some(constant(&[1.0, 10.0, 100.0], &[3]))).expect("a seed that fits");
    assert_eq!(grad(&x, &gradients), [2.0, 40.0, 600.0]);
}

#[test]
fn a_seed_has_the_type_of_its_tensor() {
    let y = Dispatch::float_neg(tracked(&[1.0, 2.0], &[2]));
    let seed = Dispatch::float_cast(constant(&[1.0, 2.0], &[2]), DType::F32);
    let error =
        Dispatch::backward(y, Some(seed), BackwardOptions::default()).expect_err("a seed of another type");
    assert_eq!(error, BackwardError::SeedDType { dtype: DType::F64, seed: DType::F32 });
}

#[test]
fn a_plain_seed_is_taken() {
    let x = tracked(&[1.0, 2.0], &[2]);
    let y = Dispatch::float_square(x.clone());
    let seed = on(&plain(), &[1.0, -1.0], &[2]);
    let gradients = Dispatch::backward(y, Some(seed), BackwardOptions::default()).expect("a seed that fits");
    assert_eq!(grad(&x, &gradients), [2.0, -4.0]);
}

#[test]
fn one_element_of_any_rank_needs_no_seed() {
    let x = tracked(&[3.0], &[1, 1]);
    assert_eq!(grad(&x, &backward(&Dispatch::float_square(x.clone()))), [6.0]);
    // Walking back from the leaf itself gives the seed.
    assert_eq!(grad(&x, &backward(&x)), [1.0]);
}

#[test]
fn detach_cuts_the_path() {
    let x = tracked(&[2.0], &[]);
    let y = Dispatch::float_mul(Dispatch::detach(Dispatch::float_square(x.clone())), x.clone());
    assert_eq!(grad(&x, &backward(&y)), [4.0]);
    assert!(!Dispatch::is_tracked(&Dispatch::detach(x)));
}

#[test]
fn only_tensors_that_ask_for_a_gradient_have_one() {
    let (x, w) = (tracked(&[2.0], &[]), constant(&[3.0], &[]));
    let hidden = Dispatch::float_mul(x.clone(), w.clone());
    let kept = require_grad(Dispatch::float_square(hidden.clone()));
    let y = Dispatch::float_mul_scalar(kept.clone(), 0.5);
    let gradients = backward(&y);
    assert_eq!(gradients.len(), 2);
    assert_eq!(grad(&kept, &gradients), [0.5]);
    assert_eq!(grad(&x, &gradients), [18.0]);
    assert!(grad_of(&hidden, &gradients).is_none());
    assert!(grad_of(&w, &gradients).is_none());
}

#[test]
fn require_grad_on_the_result_of_an_op_keeps_it_in_the_graph() {
    let x = tracked(&[2.0], &[]);
    let y = require_grad(Dispatch::float_square(x.clone()));
    let gradients = backward(&Dispatch::float_mul_scalar(y.clone(), 3.0));
    assert_eq!((grad(&y, &gradients), grad(&x, &gradients)), (vec![3.0], vec![12.0]));
}

#[test]
fn a_tensor_that_the_result_does_not_depend_on_has_no_gradient() {
    let (x, other) = (tracked(&[2.0], &[]), tracked(&[2.0], &[]));
    let gradients = backward(&Dispatch::float_square(x));
    assert!(grad_of(&other, &gradients).is_none());
}

#[test]
fn one_result_of_several_may_be_used_alone() {
    let x = tracked(&[1.0, 5.0, 3.0, 9.0, 2.0, 9.0], &[2, 3]);
    let (greatest, index) = Dispatch::float_max_dim(x.clone(), 1, false);
    assert_eq!(values(&greatest), [5.0, 9.0]);
    let seed = constant(&[10.0, 20.0], &[2]);
    let gradients = Dispatch::backward(greatest, Some(seed), RETAIN).expect("a seed that fits");
    assert_eq!(grad(&x, &gradients), [0.0, 10.0, 0.0, 20.0, 0.0, 0.0]);
    // The indices alone carry no gradient, and make no trouble.
    assert_eq!(index.shape(), [2].into());
}

#[test]
fn a_gradient_is_tracked_only_with_create_graph() {
    let x = tracked(&[2.0], &[]);
    let y = Dispatch::float_powi_scalar(x.clone(), 3);
    let tracked_gradient = grad_of(&x, &backward_with(&y, CREATE)).expect("a gradient");
    let gradient = grad_of(&x, &backward(&y)).expect("a gradient");
    assert!(Dispatch::is_tracked(&tracked_gradient) && !Dispatch::is_tracked(&gradient));
    assert_eq!(values(&gradient), [12.0]);
}

#[test]
fn gradients_have_the_type_of_their_tensor() {
    let data = TensorData::new(vec![1.5f32], [1]).expect("one value");
    let x = require_grad(Dispatch::float_from_data(data, &device()).expect("the CPU has f32"));
    let y = Dispatch::float_square(Dispatch::float_cast(x.clone(), DType::F64));
    let gradient = grad_of(&x, &backward(&y)).expect("a gradient");
    assert_eq!((gradient.dtype(), values(&gradient)), (DType::F32, vec![3.0]));
}

#[test]
fn moving_between_plain_and_autodiff_devices_keeps_values() {
    use opswitch::DispatchBackend as _;
    let wrapped = Dispatch::from_inner(on(&plain(), &[4.0], &[])).expect("a plain tensor");
    let x = require_grad(wrapped);
    let gradients = backward(&Dispatch::float_sqrt(x.clone()));
    assert_eq!(grad(&x, &gradients), [0.25]);
    let inner = Dispatch::inner(x);
    assert_eq!((inner.device(), values(&inner)), (plain(), vec![4.0]));
}
