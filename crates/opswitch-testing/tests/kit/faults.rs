//! One fault a test.

use std::sync::atomic::{AtomicU32, Ordering};

use opswitch::{AutodiffOps as _, Backend as _, DType, TensorHandle as _, ops::FloatOps as _};
use opswitch_testing::{Aspect, Conformance, boolean, float, floats, int, sample};

use super::{Dispatch, DispatchDevice, Float, failure, is_on_autodiff, plus, unary};

#[test]
fn a_kernel_that_is_wrong_on_one_device() {
    let op = unary(|x| if x.device().to_string() == "npu:1" { plus(x, 0.125) } else { x });
    assert!(op.check(Aspect::Values, &"npu:0".parse().unwrap()).is_ok());
    let text = failure(&op, Aspect::Values, "npu:1");
    let (head, worst) = text.split_once("  worst:   ").expect("a worst element");
    let expected = "\
FaultyOps::unary: result 0 is wrong
  sample:  0, \"small\"
  inputs:  contiguous
  device:  npu:1
  dtype:   f64
";
    assert_eq!(head, expected);
    assert!(worst.starts_with("element ["), "{worst}");
    assert!(worst.ends_with(", tolerance 1e-10; 6 of 6 differ"), "{worst}");
}

#[test]
fn the_worst_element_of_several() {
    let sample = sample!(floats([1.0, 2.0, 3.0, 4.0], [2, 2]));
    let op = Conformance::<Dispatch>::with_reference(
        "FaultyOps::shift",
        &["x"],
        [sample],
        |(x,): (Float,)| x,
        |(x,)| Dispatch::float_powf_scalar(x, 1.001),
    );
    let text = failure(&op, Aspect::Values, "cpu");
    let four = 4.0f64.powf(1.001);
    let worst = format!("element [1, 1] is 4.0, expected {four:?}, tolerance 1e-10; 3 of 4 differ");
    assert!(text.ends_with(&worst), "{text}");
}

#[test]
fn a_kernel_that_is_wrong_in_one_type() {
    let op = unary(|x| if x.dtype() == DType::F32 { plus(x, 1e-3) } else { x });
    let text = failure(&op, Aspect::Values, "cpu");
    assert!(text.contains("dtype:   f32") && text.contains("tolerance 1e-5"), "{text}");
}

#[test]
fn a_tolerance_of_the_sample() {
    let call = |x: Float| if x.dtype() == DType::F32 { plus(x, 1e-3) } else { x };
    let samples = [sample!(float([2, 3])).tolerance(DType::F32, 1e-2)];
    let op = Conformance::<Dispatch>::new("FaultyOps::unary", &["x"], samples, move |(x,)| call(x));
    assert!(op.check(Aspect::Values, &"cpu".parse().unwrap()).is_ok());
}

/// As a kernel does that takes the buffer of a view for the view.
#[test]
fn a_kernel_that_forgets_strides() {
    let op = unary(|x| match x {
        super::DispatchTensor::Cpu(x) if x.as_slice::<f64>().is_none() && x.dtype() == DType::F64 => {
            plus(super::DispatchTensor::Cpu(x), 1.0)
        }
        x => x,
    });
    let text = failure(&op, Aspect::Values, "cpu");
    assert!(text.contains("inputs:  transposed views"), "{text}");
}

#[test]
fn a_kernel_that_changes_the_type() {
    let text = failure(&unary(|x| Dispatch::float_cast(x, DType::F64)), Aspect::Values, "cpu");
    assert!(text.contains("result 0 is of type f64, expected f32"), "{text}");
}

#[test]
fn a_panic_is_a_failure_with_its_text_and_place() {
    let op = unary(|x| {
        assert!(x.device().to_string() != "npu:0", "out of memory");
        x
    });
    let text = failure(&op, Aspect::Values, "npu:0");
    assert!(text.starts_with("FaultyOps::unary: panics: out of memory (at "), "{text}");
    assert!(text.contains("faults.rs:"), "{text}");
}

#[test]
fn a_crash_without_elements() {
    let op = unary(|x| {
        let _ = 1 / x.shape().num_elements();
        x
    });
    let text = failure(&op, Aspect::Values, "cpu");
    assert!(
        text.contains("is refused in words that do not name it: panics: attempt to divide by zero"),
        "{text}"
    );
    assert!(text.contains("sample:  0, \"small\", 0 for each extent of 2"), "{text}");
}

#[test]
fn an_option_that_is_needed() {
    let samples = [sample!(float([2]), Some(float([2])))];
    let op = Conformance::<Dispatch>::new("FaultyOps::add", &["x", "bias"], samples, |(x, bias)| {
        Dispatch::float_add(x, bias.expect("a bias"))
    });
    let text = failure(&op, Aspect::Values, "cpu");
    assert!(text.contains("panics: a bias") && text.contains("sample:  0, `bias` absent"), "{text}");
}

#[test]
fn a_list_of_another_length() {
    let samples = [sample!(vec![float([2]), float([2])])];
    let op = Conformance::<Dispatch>::new("FaultyOps::sum", &["list"], samples, |(list,)| {
        let [lhs, rhs]: [Float; 2] = list.try_into().expect("two tensors");
        Dispatch::float_add(lhs, rhs)
    });
    let text = failure(&op, Aspect::Values, "cpu");
    assert!(
        text.contains("panics: two tensors") && text.contains("sample:  0, `list` a list of 0"),
        "{text}"
    );
    let text = "No tensor input to select a backend from.";
    let samples = [sample!(vec![float([2]), float([2])])];
    let op = Conformance::<Dispatch>::new("FloatOps::float_cat", &["tensors"], samples, |(tensors,)| {
        Dispatch::float_cat(tensors, 0)
    });
    op.check(Aspect::Values, &"cpu".parse().unwrap()).unwrap_or_else(|failures| panic!("{text}: {failures}"));
}

#[test]
fn a_result_without_tensors() {
    let samples = [sample!(float([2]))];
    let op = Conformance::<Dispatch>::new("FaultyOps::size", &["x"], samples, |(x,): (Float,)| {
        x.shape().num_elements()
    });
    let text = failure(&op, Aspect::Values, "cpu");
    assert!(text.contains("gives no tensor; if it returns a `Result`"), "{text}");
}

#[test]
fn a_result_on_another_device() {
    let op = unary(|x| {
        let cpu: DispatchDevice = "cpu".parse().unwrap();
        Dispatch::float_to_device(x, &cpu).unwrap()
    });
    let text = failure(&op, Aspect::Values, "npu:0");
    assert!(text.contains("runs on `npu:0`, and gives a tensor of `cpu`"), "{text}");
}

/// Half of the gradient of a square.
fn half_gradient(x: Float) -> Float {
    Dispatch::float_mul(x.clone(), Dispatch::detach(x))
}

#[test]
fn a_gradient_that_is_not_the_derivative() {
    let text = failure(&unary(half_gradient), Aspect::Gradients, "cpu");
    let head = "\
FaultyOps::unary: the gradient of `x` is not that of central differences
  sample:  0, \"small\"
  inputs:  contiguous
  device:  cpu
  dtype:   f64
  worst:   element [";
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with("tolerance 1e-6; 6 of 6 differ"), "{text}");
}

/// A square by its tangent: it has the right value and gradient everywhere, and no second derivative.
#[test]
fn a_second_derivative_that_is_not_that_of_the_gradient() {
    let tangent = |x: Float| {
        let here = Dispatch::detach(x.clone());
        let slope = Dispatch::float_mul_scalar(Dispatch::float_mul(here.clone(), x), 2.0);
        Dispatch::float_sub(slope, Dispatch::float_square(here))
    };
    let text = failure(&unary(tangent), Aspect::Gradients, "cpu");
    let head = "FaultyOps::unary: the second derivative in `x` is not that of central differences\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with("tolerance 1e-6; 6 of 6 differ"), "{text}");
}

#[test]
fn a_gradient_that_is_wrong_on_one_device() {
    let op = unary(|x| {
        if x.device().to_string().contains("npu") { half_gradient(x) } else { Dispatch::float_square(x) }
    });
    assert!(op.check(Aspect::Values, &"npu:0".parse().unwrap()).is_ok());
    assert!(op.check(Aspect::Gradients, &"cpu".parse().unwrap()).is_ok());
    let text = failure(&op, Aspect::Gradients, "npu:0");
    assert!(text.starts_with("FaultyOps::unary: the gradient of `x` is wrong\n"), "{text}");
}

#[test]
fn a_result_that_is_cut_off_from_its_inputs() {
    let text = failure(&unary(Dispatch::detach), Aspect::Gradients, "cpu");
    assert!(text.contains("gives no float that is tracked, though its inputs are"), "{text}");
}

#[test]
fn a_gradient_that_should_be_refused() {
    let samples = [sample!(float([2]).not_differentiable())];
    let op = Conformance::<Dispatch>::new("FaultyOps::unary", &["x"], samples, |(x,)| plus(x, 1.0));
    let text = failure(&op, Aspect::Gradients, "cpu");
    assert!(text.contains("has a gradient for `x`, which is declared to have none"), "{text}");
}

#[test]
fn a_gradient_that_is_not_asked_for() {
    let samples = [sample!(float([2]).without_gradient(), float([2]))];
    let op = Conformance::<Dispatch>::new("FaultyOps::mul", &["x", "y"], samples, |(x, y)| {
        Dispatch::float_mul(half_gradient(x), y)
    });
    op.check(Aspect::Gradients, &"cpu".parse().unwrap()).unwrap_or_else(|failures| panic!("{failures}"));
}

#[test]
fn a_result_that_depends_on_what_is_tracked() {
    let op = unary(|x| if is_on_autodiff(&x) { plus(x, 1e-12) } else { x });
    let text = failure(&op, Aspect::Mixtures, "cpu");
    assert!(text.contains("result 0 is another than with plain inputs"), "{text}");
    assert!(text.contains("inputs:  nothing tracked, the others on autodiff(cpu)"), "{text}");
    assert!(text.contains("to the bit"), "{text}");
}

#[test]
fn a_gradient_that_depends_on_what_else_is_tracked() {
    let samples = [sample!(float([2]), float([2]))];
    let op = Conformance::<Dispatch>::new("FaultyOps::add", &["lhs", "rhs"], samples, |(lhs, rhs)| {
        if Dispatch::is_tracked(&lhs) == Dispatch::is_tracked(&rhs) {
            return Dispatch::float_add(lhs, rhs);
        }
        let half = |x: Float| Dispatch::float_mul_scalar(x, 0.5);
        let sum = Dispatch::float_add(lhs, rhs);
        Dispatch::float_add(half(sum.clone()), half(Dispatch::detach(sum)))
    });
    let text = failure(&op, Aspect::Mixtures, "cpu");
    assert!(text.contains("the gradient of `lhs` is another than with all inputs tracked"), "{text}");
    assert!(text.contains("inputs:  `lhs` tracked, the others on cpu"), "{text}");
}

#[test]
fn a_tensor_elsewhere_that_is_accepted() {
    let samples = [sample!(float([2]), int([2]), boolean([2]))];
    let op = Conformance::<Dispatch>::new(
        "FaultyOps::first",
        &["x", "index", "mask"],
        samples,
        |(x, _index, _mask)| x,
    );
    let text = failure(&op, Aspect::Placement, "cpu");
    let head = "FaultyOps::first: the int tensor `index` is on cpu, the op on npu:0: that is accepted";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn a_tensor_elsewhere_that_is_refused_in_other_words() {
    let samples = [sample!(float([2]), float([2]))];
    let op = Conformance::<Dispatch>::new("FaultyOps::add", &["x", "y"], samples, |(x, y)| {
        Dispatch::float_add(x, y)
    });
    let text = failure(&op, Aspect::Placement, "npu:0");
    let expected = "\
FaultyOps::add: the float tensor `y` is on npu:0, the op on cpu: that should be refused with
Tensor is on the wrong backend (expected cpu).
  op:       FaultyOps::add
  argument: y
but is with
Tensor is on the wrong backend (expected cpu).
  op:       FloatOps::float_add
  argument: rhs
";
    assert!(text.starts_with(expected), "{text}");
}

/// Plain tensors are refused in the right words, and tracked ones are not.
#[test]
fn a_tracked_tensor_elsewhere_that_is_accepted() {
    let samples = [sample!(float([2]), float([2]))];
    let op = Conformance::<Dispatch>::new("FloatOps::float_add", &["lhs", "rhs"], samples, |(lhs, rhs)| {
        if rhs.device().is_autodiff() { lhs } else { Dispatch::float_add(lhs, rhs) }
    });
    let text = failure(&op, Aspect::Placement, "cpu");
    let head =
        "FloatOps::float_add: the float tensor `rhs` is on autodiff(npu:0), the op on cpu: that is accepted";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn a_second_run_with_other_bits() {
    let runs = AtomicU32::new(0);
    let op = unary(move |x| plus(x, f64::from(runs.fetch_add(1, Ordering::Relaxed)) * 1e-13));
    assert!(op.check(Aspect::Values, &"cpu".parse().unwrap()).is_ok(), "it is within the tolerance");
    let text = failure(&op, Aspect::Determinism, "cpu");
    assert!(text.starts_with("FaultyOps::unary: result 0 is another in a second run"), "{text}");
    assert!(text.contains("to the bit"), "{text}");
}

#[test]
fn a_device_without_the_types_of_the_samples() {
    let samples = [sample!(float([2])).only([])];
    let op =
        Conformance::<Dispatch>::new("FloatOps::float_exp", &["x"], samples, |(x,)| Dispatch::float_exp(x));
    let text = failure(&op, Aspect::Values, "cpu");
    assert!(text.starts_with("FloatOps::float_exp: the device has the types of no sample"), "{text}");
}

#[test]
fn a_second_gradient_with_other_bits() {
    let runs = AtomicU32::new(0);
    let op = unary(move |x| {
        let tracked = Dispatch::is_tracked(&x);
        let factor = if tracked { f64::from(runs.fetch_add(1, Ordering::Relaxed)) } else { 0.0 };
        let scaled = Dispatch::float_mul_scalar(x.clone(), factor);
        Dispatch::float_sub(Dispatch::float_add(x, scaled.clone()), Dispatch::detach(scaled))
    });
    let text = failure(&op, Aspect::Determinism, "cpu");
    assert!(text.starts_with("FaultyOps::unary: gradient 0 is another in a second run"), "{text}");
}
