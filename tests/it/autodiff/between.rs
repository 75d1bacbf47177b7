//! Gradients of some tensors in others, without a walk through the rest.

use opswitch::{
    AutodiffOps as _, Backend as _, BackwardError, BackwardOptions, Dispatch, FloatTensor, TensorData, grad,
    ops::FloatOps as _,
};
use opswitch_tests::TestDispatch;

use super::{
    CREATE, Float, RETAIN, assert_close, backward, balanced, constant, device, on, require_grad, sum,
    tracked, values,
};

fn grads(outputs: &[&Float], inputs: &[&Float], options: BackwardOptions) -> Vec<Option<Vec<f64>>> {
    let outputs = outputs.iter().map(|&output| (output.clone(), None));
    let inputs: Vec<Float> = inputs.iter().map(|&input| input.clone()).collect();
    let found = grad::<Dispatch>(outputs, &inputs, options).expect("the outputs can be walked back from");
    found.iter().map(|gradient| gradient.as_ref().map(values)).collect()
}

#[test]
fn a_penalty_on_the_gradient_has_its_closed_form() {
    for device in [device(), balanced()] {
        let w = require_grad(on(&device, &[0.5, -0.25, 1.0], &[3]));
        let x = require_grad(on(&device, &[1.0, 2.0, -0.5], &[3]));
        let y = Dispatch::float_tanh(sum(Dispatch::float_mul(w.clone(), x.clone())));
        let slope = grad::<Dispatch>([(y, None)], &[x], CREATE).expect("y is tracked").swap_remove(0);
        let penalty = sum(Dispatch::float_square(slope.expect("y depends on x")));
        let found = super::grad(&w, &backward(&penalty));
        // With u = w·x = -0.5, t = tanh(u) and f = 1 - t²: |slope|² = f² |w|², so that the gradient in w is
        // 2 f² w - 4 f² t |w|² x.
        let (tanh, norm) = ((-0.5f64).tanh(), 1.3125);
        let factor = (1.0 - tanh * tanh).powi(2);
        let want = [(0.5, 1.0), (-0.25, 2.0), (1.0, -0.5)]
            .map(|(w, x)| 2.0 * factor * w - 4.0 * factor * tanh * norm * x);
        assert_close(&found, &want, 1e-12);
    }
}

#[test]
fn a_gradient_in_the_result_of_an_op() {
    let x = tracked(&[0.5, 2.0], &[2]);
    let hidden = Dispatch::float_square(x.clone());
    let y = sum(Dispatch::float_exp(hidden.clone()));
    let want: Vec<f64> = [0.25f64, 4.0].iter().map(|h| h.exp()).collect();
    let found = grads(&[&y], &[&hidden, &x], RETAIN);
    assert_close(found[0].as_ref().expect("y depends on it"), &want, 1e-14);
    assert_close(found[1].as_ref().expect("y depends on it"), &[want[0], 4.0 * want[1]], 1e-14);
    // A tensor is its own derivative.
    assert_eq!(grads(&[&y], &[&y], RETAIN), [Some(vec![1.0])]);
}

#[test]
fn only_what_lies_between_is_walked_and_freed() {
    let (x, z) = (tracked(&[2.0], &[]), tracked(&[3.0], &[]));
    let hidden = Dispatch::float_square(x.clone());
    let other = Dispatch::float_sin(z.clone());
    let y = Dispatch::float_mul(hidden.clone(), other.clone());
    assert_eq!(grads(&[&y], &[&hidden], BackwardOptions::default()), [Some(vec![3.0f64.sin()])]);
    // The product was walked; what is behind its inputs was not.
    let error = Dispatch::backward(y, None, BackwardOptions::default()).expect_err("the product is freed");
    assert_eq!(error, BackwardError::Freed { op: "FloatOps::float_mul" });
    assert_eq!(grads(&[&hidden], &[&x], BackwardOptions::default()), [Some(vec![4.0])]);
    assert_eq!(grads(&[&other], &[&z], BackwardOptions::default()), [Some(vec![3.0f64.cos()])]);
}

#[test]
fn what_is_not_on_the_way_may_have_been_freed() {
    let (x, z) = (tracked(&[2.0], &[]), tracked(&[3.0], &[]));
    let spent = Dispatch::float_exp(z.clone());
    backward(&spent);
    let hidden = Dispatch::float_square(x.clone());
    let y = Dispatch::float_mul(hidden.clone(), spent);
    assert_close(grads(&[&y], &[&hidden], RETAIN)[0].as_ref().unwrap(), &[3.0f64.exp()], 1e-14);
    let error = grad::<Dispatch>([(y, None)], &[z], RETAIN).expect_err("the way is freed");
    assert_eq!(error, BackwardError::Freed { op: "FloatOps::float_exp" });
}

#[test]
fn an_input_that_nothing_depends_on_has_none() {
    let (x, z) = (tracked(&[2.0], &[]), tracked(&[3.0], &[]));
    let y = Dispatch::float_square(x.clone());
    let later = Dispatch::float_square(y.clone());
    assert_eq!(grads(&[&y], &[&z, &x, &later], RETAIN), [None, Some(vec![4.0]), None]);
}

#[test]
fn several_outputs_add_up_with_their_seeds() {
    let x = tracked(&[2.0, 3.0], &[2]);
    let squares = Dispatch::float_square(x.clone());
    let seed = constant(&[1.0, 10.0], &[2]);
    let outputs = [(squares, Some(seed)), (sum(x.clone()), None)];
    let found = grad::<Dispatch>(outputs, &[x], BackwardOptions::default()).expect("both are tracked");
    assert_eq!(values(found[0].as_ref().expect("a gradient")), [5.0, 61.0]);
}

#[test]
fn what_is_not_tracked_is_refused() {
    let (x, plain) = (tracked(&[2.0], &[]), constant(&[1.0], &[]));
    let y = Dispatch::float_mul(x.clone(), plain.clone());
    let error = |output: &Float, input: &Float| {
        grad::<Dispatch>([(output.clone(), None)], std::slice::from_ref(input), RETAIN)
            .expect_err("not tracked")
    };
    assert_eq!(error(&y, &plain), BackwardError::UntrackedInput);
    assert_eq!(error(&plain, &x), BackwardError::Untracked);
    let on_plain = on(&super::plain(), &[1.0], &[]);
    let text = error(&y, &on_plain).to_string();
    assert!(text.starts_with("Expected autodiff-wrapped float tensor for backend cpu."), "{text}");
}

fn on_test(device: &str, value: f64) -> FloatTensor<TestDispatch> {
    let device = device.parse().expect("the device exists");
    let data = TensorData::new(vec![value], []).expect("one value");
    TestDispatch::float_from_data(data, &device).expect("both backends have f64")
}

#[test]
fn a_graph_may_cross_backends() {
    let x = TestDispatch::require_grad(on_test("autodiff(cpu)", 0.5)).expect("on an autodiff device");
    let there = TestDispatch::float_to_device(
        TestDispatch::float_sin(x.clone()),
        &"autodiff(npu:1)".parse().expect("the device exists"),
    )
    .expect("tensors move");
    let hidden = TestDispatch::float_square(there.clone());
    let y = TestDispatch::float_exp(hidden.clone());
    let found = grad::<TestDispatch>([(y, None)], &[x, there, hidden], CREATE).expect("y is tracked");
    let read = |tensor: &Option<FloatTensor<TestDispatch>>| {
        let tensor = tensor.clone().expect("y depends on it");
        TestDispatch::float_into_data_blocking(tensor).expect("the data is there").to_vec::<f64>()[0]
    };
    let sin = 0.5f64.sin();
    let slope = (sin * sin).exp();
    let want = [slope * 2.0 * sin * 0.5f64.cos(), slope * 2.0 * sin, slope];
    assert_close(&found.iter().map(read).collect::<Vec<_>>(), &want, 1e-14);
}
