//! Gradients through the tensor type on the default dispatch, against closed forms.
#![cfg(feature = "cpu")]

mod tensor_support;

use opswitch::{BackwardOptions, Device, Dispatch, Grad, Int, Tensor, ops::CrossEntropy, s};
use tensor_support::panic_text;

fn tracking() -> Device<Dispatch> {
    "autodiff(cpu)".parse().expect("the default features bring the CPU and autodiff")
}

fn plain() -> Device<Dispatch> {
    "cpu".parse().expect("the default features bring the CPU")
}

fn leaf(values: &[f32]) -> Tensor<1> {
    Tensor::from_values(values, [values.len()], &tracking()).require_grad()
}

fn values<const D: usize>(x: Tensor<D>) -> Vec<f32> {
    x.to_vec().unwrap()
}

#[test]
fn a_gradient_is_found_for_what_requires_one() {
    let (x, y) = (leaf(&[1.0, -2.0]), leaf(&[3.0, 0.5]));
    let constant = Tensor::<1>::ones([2], &tracking());
    assert!(x.is_tracked() && !constant.is_tracked());
    let loss = (&x * &x * &y + &constant).sum();
    let gradients = loss.backward();
    // d/dx x²y = 2xy and d/dy x²y = x²
    assert_eq!(values(x.grad(&gradients).unwrap()), [6.0, -2.0]);
    assert_eq!(values(y.grad(&gradients).unwrap()), [1.0, 4.0]);
    assert!(constant.grad(&gradients).is_none());
}

#[test]
fn a_detached_tensor_is_a_constant() {
    let x = leaf(&[2.0]);
    let frozen = x.clone().square().detach();
    assert!(!frozen.is_tracked());
    let gradients = (&x * frozen).sum().backward();
    assert_eq!(values(x.grad(&gradients).unwrap()), [4.0]);
}

#[test]
fn a_seed_weighs_the_elements() {
    let x = leaf(&[1.0, 2.0, 3.0]);
    let seed = Tensor::from_floats([1.0, 10.0, 100.0], &tracking());
    let gradients = x.clone().square().backward_with(Some(seed), BackwardOptions::default()).unwrap();
    assert_eq!(values(x.grad(&gradients).unwrap()), [2.0, 40.0, 600.0]);
}

#[test]
fn gradients_pass_through_movement_and_slices() {
    let x = leaf(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let taken = x.clone().reshape([2, 3]).transpose().slice(s![..;-2, 1..]);
    let gradients = (taken * 2.0).sum().backward();
    assert_eq!(values(x.grad(&gradients).unwrap()), [0.0, 0.0, 0.0, 2.0, 0.0, 2.0]);
    let y = leaf(&[1.0, 2.0]);
    let joined = Tensor::stack::<2>(vec![y.clone(), -&y, y.clone().flip([0])], 0);
    let weights = Tensor::from_floats([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]], &tracking());
    let gradients = (joined * weights).sum().backward();
    assert_eq!(values(y.grad(&gradients).unwrap()), [1.0 - 10.0 + 200.0, 2.0 - 20.0 + 100.0]);
}

#[test]
fn the_gradient_of_cross_entropy_is_softmax_minus_target() {
    let logits = Tensor::<2>::from_floats([[0.0, 3f32.ln()], [0.0, 0.0]], &tracking()).require_grad();
    let target = Tensor::<1, Int>::from_ints([1, 0], &tracking());
    let gradients = logits.clone().cross_entropy(target, CrossEntropy::default()).backward();
    let expected = [0.25, -0.25, -0.5, 0.5].map(|x| x / 2.0);
    for (found, expected) in values(logits.grad(&gradients).unwrap()).into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }
}

#[test]
fn gradients_have_gradients() {
    let x = leaf(&[2.0, -3.0]);
    let options = BackwardOptions { create_graph: true, ..BackwardOptions::default() };
    let first = x.clone().powi_scalar(3).sum().backward_with(None, options).unwrap();
    let slope = x.grad(&first).unwrap();
    assert_eq!(values(slope.clone()), [12.0, 27.0]);
    let second = slope.sum().backward();
    assert_eq!(values(x.grad(&second).unwrap()), [12.0, -18.0]);
}

#[test]
fn misuse_says_what_to_do() {
    let text = panic_text(|| leaf(&[1.0, 2.0]).square().backward());
    assert!(
        text.starts_with("backward needs a tensor with one element, but this one has shape [2]"),
        "{text}"
    );
    let text = panic_text(|| Tensor::<0>::ones([], &tracking()).backward());
    assert!(text.starts_with("this tensor depends on no tensor that requires a gradient"), "{text}");
    let text = panic_text(|| Tensor::<1>::ones([1], &plain()).require_grad());
    assert!(text.starts_with("Expected autodiff-wrapped float tensor for backend cpu."), "{text}");
    let text = panic_text(|| leaf(&[1.0, 2.0]) + leaf(&[1.0, 2.0, 3.0]));
    assert!(text.starts_with("float_add: shapes [2] and [3] do not fit"), "{text}");
}

#[test]
fn plain_tensors_cross_into_autodiff_and_back() {
    let x = Tensor::<1>::ones([2], &plain());
    let inside = Tensor::from_inner(x.clone());
    assert_eq!((inside.device(), inside.clone().inner().device()), (tracking(), plain()));
    let inside = inside.require_grad();
    let gradients = (&inside * &x * 3).sum().backward();
    let gradient = inside.grad(&gradients).unwrap();
    assert_eq!(values(gradient), [3.0, 3.0]);
    let text = panic_text(move || Tensor::from_inner(inside));
    assert!(text.starts_with("Autodiff should not wrap an autodiff tensor."), "{text}");
}

#[test]
fn gradients_pass_through_a_move_between_devices() {
    let x = leaf(&[1.0, 2.0]);
    let moved = x.clone().to_device(&tracking());
    let gradients = (moved * 5.0).sum().backward();
    assert_eq!(values(x.grad(&gradients).unwrap()), [5.0, 5.0]);
}

#[test]
fn running_statistics_carry_no_gradient() {
    let x = leaf(&[1.0, 3.0, 5.0, 7.0]).reshape([4, 1]);
    let (mean, var) = (leaf(&[2.0]), leaf(&[1.0]));
    let (y, new_mean, new_var) = x.batch_norm_training(None, None, mean.clone(), var.clone(), 0.5, 0.0);
    assert!(y.is_tracked() && !new_mean.is_tracked() && !new_var.is_tracked());
    // The mean is 4, the variance 5, and with correction 1 it is 20/3.
    assert_eq!(values(new_mean.clone()), [3.0]);
    assert!((values(new_var)[0] - (0.5 + 10.0 / 3.0)).abs() < 1e-6);
    let y = y.batch_norm_inference(None, None, mean.clone(), var.clone(), 0.0);
    let gradients = y.square().sum().backward();
    assert!(mean.grad(&gradients).is_none() && var.grad(&gradients).is_none());
}

#[test]
fn a_row_of_an_embedding_has_the_gradients_of_all_its_places() {
    let weight = leaf(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).reshape([3, 2]);
    let indices = Tensor::<2, Int>::from_ints([[2, 0], [2, 2]], &tracking());
    let rows: Tensor<3> = weight.clone().embedding(indices);
    assert_eq!(values(rows.clone()), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0, 5.0, 6.0]);
    let slope = rows.sum().grad_with_respect_to(&weight, BackwardOptions::default()).unwrap().unwrap();
    assert_eq!(values(slope), [1.0, 1.0, 0.0, 0.0, 3.0, 3.0]);
    let text = panic_text(move || {
        let _: Tensor<2> = weight.embedding(Tensor::<1, Int>::from_ints([3], &tracking()));
    });
    assert_eq!(text, "embedding: index 3 is out of range for a dimension of extent 3");
}

#[test]
fn a_pass_between_tensors_of_several_ranks() {
    let x = leaf(&[1.0, 2.0, 3.0, 4.0]);
    let matrix = x.clone().reshape([2, 2]);
    let product = matrix.clone().matmul(matrix.clone());
    let total = product.clone().sum();
    let seed = Tensor::zeros_like(&product);
    let pass =
        Grad::new().of(&total).of_seeded(&product, seed).with_respect_to(&matrix).with_respect_to(&product);
    let gradients = pass.compute(BackwardOptions::default()).unwrap();
    assert_eq!(values(product.grad(&gradients).unwrap()), [1.0; 4]);
    // 1 mᵀ + mᵀ 1, with rows that sum to 3 and 7, and columns that sum to 4 and 6.
    assert_eq!(values(matrix.grad(&gradients).unwrap()), [7.0, 11.0, 9.0, 13.0]);
    assert!(x.grad(&gradients).is_none());
    let plain = Tensor::<0>::ones([], &tracking());
    let error = Grad::new().of(&total).with_respect_to(&plain).compute(BackwardOptions::default());
    assert!(
        error.unwrap_err().to_string().starts_with("a gradient is asked for in a tensor that is not tracked")
    );
}
