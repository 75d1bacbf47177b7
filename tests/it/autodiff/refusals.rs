//! Backward passes that must fail, in words that say where.

use opswitch::{
    AutodiffOps as _, BackwardError, BackwardOptions, DType, Dispatch, TensorHandle as _, ops::FloatOps as _,
};

use super::{
    CREATE, RETAIN, backward, backward_with, constant, custom::ScaleOps as _, grad, grad_of, sum, tracked,
    values,
};

fn error(tensor: super::Float) -> BackwardError {
    Dispatch::backward(tensor, None, BackwardOptions::default()).expect_err("the backward pass fails")
}

#[test]
fn an_input_listed_as_none_is_refused_by_name() {
    let (x, factor) = (tracked(&[2.0], &[]), tracked(&[3.0], &[]));
    let y = Dispatch::scale(x, factor);
    assert_eq!(values(&y), [6.0]);
    let error = error(y);
    assert_eq!(error, BackwardError::NotDifferentiable { op: "ScaleOps::scale", argument: "factor" });
    let text = error.to_string();
    assert!(
        text.contains("ScaleOps::scale") && text.contains("`factor`") && text.contains("detach"),
        "{text}"
    );
}

#[test]
fn an_input_listed_as_none_may_be_a_constant() {
    let x = tracked(&[2.0], &[]);
    let y = Dispatch::scale(x.clone(), constant(&[3.0], &[]));
    assert_eq!(grad(&x, &backward(&y)), [3.0]);
    let factor = Dispatch::detach(tracked(&[5.0], &[]));
    assert_eq!(grad(&x, &backward(&Dispatch::scale(x.clone(), factor))), [5.0]);
}

#[test]
fn only_a_tracked_input_listed_as_none_is_refused_too() {
    let factor = tracked(&[3.0], &[]);
    let error = error(Dispatch::scale(constant(&[2.0], &[]), factor));
    assert_eq!(error, BackwardError::NotDifferentiable { op: "ScaleOps::scale", argument: "factor" });
}

#[test]
fn an_op_without_a_gradient_is_refused_by_the_name_of_the_tracked_input() {
    let (x, grid) = (constant(&[2.3], &[]), tracked(&[0.5], &[]));
    let y = Dispatch::float_square(Dispatch::snap(x, grid));
    assert_eq!(values(&y), [6.25]);
    assert_eq!(error(y), BackwardError::NotDifferentiable { op: "ScaleOps::snap", argument: "grid" });
}

#[test]
fn an_op_without_a_gradient_is_harmless_off_the_path() {
    let x = tracked(&[2.3], &[]);
    let snapped = Dispatch::detach(Dispatch::snap(x.clone(), constant(&[0.5], &[])));
    assert_eq!(grad(&x, &backward(&Dispatch::float_mul(x.clone(), snapped))), [2.5]);
}

#[test]
fn an_op_without_a_gradient_in_a_formula_is_refused_by_name_when_the_formula_is_differentiated() {
    let x = tracked(&[3.0], &[]);
    let y = Dispatch::half_square(x.clone());
    let gradient = grad_of(&x, &backward_with(&y, CREATE)).expect("a gradient");
    assert_eq!(values(&gradient), [3.0]);
    let error = error(gradient);
    assert_eq!(error, BackwardError::NotDifferentiable { op: "ScaleOps::snap", argument: "x" });
    let text = error.to_string();
    assert!(text.contains("ScaleOps::snap") && text.contains("`x`") && text.contains("detach"), "{text}");
}

#[test]
fn a_gradient_of_the_wrong_shape_names_op_argument_and_both_shapes() {
    let x = tracked(&[2.0, 3.0], &[2]);
    let error = error(sum(Dispatch::wrong_shape(x)));
    let (op, argument) = ("ScaleOps::wrong_shape", "x");
    assert_eq!(error, BackwardError::GradientShape { op, argument, expected: [2].into(), found: [].into() });
    let text = error.to_string();
    assert!(
        text.contains(op) && text.contains("`x`") && text.contains("[2]") && text.contains("[]"),
        "{text}"
    );
}

#[test]
fn a_gradient_of_the_wrong_type_names_op_argument_and_both_types() {
    let x = tracked(&[2.0], &[]);
    let expected = x.dtype();
    let error = error(Dispatch::wrong_type(x));
    let (op, argument) = ("ScaleOps::wrong_type", "x");
    assert_eq!(error, BackwardError::GradientDType { op, argument, expected, found: DType::F16 });
}

#[test]
fn a_wrong_number_of_gradients_names_op_argument_and_both_numbers() {
    let tensors = vec![tracked(&[2.0], &[]), constant(&[3.0], &[]), tracked(&[4.0], &[])];
    let error = error(Dispatch::wrong_count(tensors));
    let (op, argument) = ("ScaleOps::wrong_count", "tensors");
    assert_eq!(error, BackwardError::GradientCount { op, argument, expected: 3, found: 1 });
}

#[test]
fn a_walk_after_a_failed_one_is_an_error_and_no_panic() {
    // What the formula reads is used up by the first walk.
    let y = Dispatch::wrong_shape(tracked(&[2.0, 3.0], &[2]));
    let walk =
        || Dispatch::backward(y.clone(), Some(constant(&[1.0, 1.0], &[2])), BackwardOptions::default());
    let first = walk().expect_err("a wrong formula");
    assert!(matches!(first, BackwardError::GradientShape { .. }), "{first}");
    assert_eq!(walk().expect_err("a freed graph"), BackwardError::Freed { op: "ScaleOps::wrong_shape" });
}

#[test]
fn a_failed_walk_that_keeps_the_graph_fails_the_same_way_again() {
    let (x, factor) = (tracked(&[2.0], &[]), tracked(&[3.0], &[]));
    let y = Dispatch::float_square(Dispatch::scale(x, factor));
    for _ in 0..2 {
        let error = Dispatch::backward(y.clone(), None, RETAIN).expect_err("not differentiable");
        assert_eq!(error, BackwardError::NotDifferentiable { op: "ScaleOps::scale", argument: "factor" });
    }
}

#[test]
fn require_grad_needs_an_autodiff_device() {
    let plain = super::on(&super::plain(), &[1.0], &[]);
    let text = Dispatch::require_grad(plain).expect_err("a plain device").to_string();
    assert!(text.starts_with("Expected autodiff-wrapped float tensor for backend cpu."), "{text}");
    assert!(text.contains("autodiff()"), "{text}");
}

#[test]
fn a_formula_that_reads_one_gradient_of_several_is_refused() {
    let results = || Dispatch::wrong_results(tracked(&[2.0], &[]));
    for result in [results().0, results().1] {
        let error = error(result);
        assert_eq!(error, BackwardError::SeveralResults { op: "ScaleOps::wrong_results" });
        assert!(error.to_string().contains("`grads.0`"), "{error}");
    }
}
