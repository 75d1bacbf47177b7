//! The fused op against the built-in ops, and its gradients against finite differences.

use opswitch::{DType, Dispatch, DispatchDevice, Tensor};

use crate::fused::FusedOps;

/// The arguments of the op.
#[derive(Clone)]
struct Inputs {
    lhs: Tensor<2>,
    rhs: Tensor<2>,
    bias: Option<Tensor<1>>,
}

impl Inputs {
    /// Numbers in f64 for an `[m, k]` times a `[k, n]` product, about half of which the `ReLU` lets through.
    fn new([m, k, n]: [usize; 3], with_bias: bool, device: &DispatchDevice) -> Self {
        Self {
            lhs: numbers([m, k], 0.3, device),
            rhs: numbers([k, n], 1.1, device),
            bias: with_bias.then(|| numbers([n], 2.6, device)),
        }
    }

    fn cast(self, dtype: DType) -> Self {
        Self {
            lhs: self.lhs.cast(dtype),
            rhs: self.rhs.cast(dtype),
            bias: self.bias.map(|bias| bias.cast(dtype)),
        }
    }

    fn require_grad(self) -> Self {
        Self {
            lhs: self.lhs.require_grad(),
            rhs: self.rhs.require_grad(),
            bias: self.bias.map(Tensor::require_grad),
        }
    }

    fn fused(self) -> Tensor<2> {
        Tensor::from_primitive(Dispatch::matmul_add_relu(
            self.lhs.into_primitive(),
            self.rhs.into_primitive(),
            self.bias.map(Tensor::into_primitive),
        ))
    }

    fn unfused(self) -> Tensor<2> {
        let product = self.lhs.matmul(self.rhs);
        match self.bias {
            Some(bias) => product + bias.unsqueeze(),
            None => product,
        }
        .relu()
    }

    /// A number that depends on every element of the result with another weight.
    fn loss(self) -> Tensor<0> {
        let output = self.fused();
        let weights = numbers(output.shape(), 0.7, &output.device());
        (output * weights).sum()
    }
}

fn cpu() -> DispatchDevice {
    "cpu".parse().unwrap()
}

/// The same numbers in -1..1 on every run, without a visible pattern.
fn numbers<const D: usize>(shape: [usize; D], phase: f64, device: &DispatchDevice) -> Tensor<D> {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| (1.7 * i as f64 + phase).sin()).collect();
    Tensor::from_values(values, shape, device)
}

fn assert_close<const D: usize>(found: &Tensor<D>, expected: &Tensor<D>, tolerance: f64) {
    assert_eq!((found.shape(), found.dtype()), (expected.shape(), expected.dtype()));
    let (found, expected) = (found.to_vec::<f64>().unwrap(), expected.to_vec::<f64>().unwrap());
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let same = (found.is_nan() && expected.is_nan()) || (found - expected).abs() <= tolerance;
        assert!(same, "element {i}: {found} instead of {expected}");
    }
}

#[test]
fn it_equals_the_built_in_ops() {
    let shapes = [
        [1, 1, 1],
        [5, 7, 3],
        // Several blocks of rows, the last one smaller.
        [130, 9, 11],
        // Blocks on several cores.
        [200, 128, 64],
        // Nothing to multiply, no rows, no columns.
        [4, 0, 3],
        [0, 3, 2],
        [3, 2, 0],
    ];
    for (shape, with_bias) in shapes.into_iter().flat_map(|shape| [(shape, true), (shape, false)]) {
        for (dtype, tolerance) in [(DType::F64, 1e-13), (DType::F32, 1e-5), (DType::BF16, 0.0)] {
            let inputs = Inputs::new(shape, with_bias, &cpu()).cast(dtype);
            assert_close(&inputs.clone().fused(), &inputs.unfused(), tolerance);
        }
    }
}

#[test]
fn it_reads_views() {
    let inputs = Inputs {
        lhs: numbers([6, 5], 0.3, &cpu()).transpose(),
        rhs: numbers([6, 4], 1.1, &cpu()).flip([0, 1]),
        bias: Some(numbers([8], 2.6, &cpu()).slice(2..6)),
    };
    assert_close(&inputs.clone().fused(), &inputs.unfused(), 1e-13);
}

#[test]
fn nan_goes_through_as_in_relu() {
    for with_bias in [true, false] {
        let mut inputs = Inputs::new([3, 2, 4], with_bias, &cpu());
        inputs.lhs =
            inputs.lhs.slice_assign((1..2, 0..1), Tensor::full([1, 1], f64::NAN, &cpu()).cast(DType::F64));
        let output = inputs.clone().fused();
        assert!(output.to_vec::<f64>().unwrap()[4..8].iter().all(|x| x.is_nan()));
        assert_close(&output, &inputs.unfused(), 1e-13);
    }
}

#[test]
fn its_gradients_are_those_of_finite_differences() {
    let autodiff = cpu().autodiff();
    for with_bias in [true, false] {
        let inputs = Inputs::new([4, 3, 5], with_bias, &autodiff).require_grad();
        let gradients = inputs.clone().loss().backward();
        let check = |gradient: Option<Vec<f64>>, nudged: &dyn Fn(usize, f64) -> Inputs| {
            for (i, gradient) in gradient.expect("a gradient").into_iter().enumerate() {
                let loss = |step| nudged(i, step).loss().into_scalar::<f64>().unwrap();
                let difference = (loss(1e-6) - loss(-1e-6)) / 2e-6;
                assert!((gradient - difference).abs() < 1e-8, "element {i}: {gradient}, not {difference}");
            }
        };
        let plain = Inputs::new([4, 3, 5], with_bias, &cpu());
        let gradient = inputs.lhs.grad(&gradients).map(|gradient| gradient.to_vec().unwrap());
        check(gradient, &|i, step| Inputs { lhs: nudged(&plain.lhs, i, step), ..plain.clone() });
        let gradient = inputs.rhs.grad(&gradients).map(|gradient| gradient.to_vec().unwrap());
        check(gradient, &|i, step| Inputs { rhs: nudged(&plain.rhs, i, step), ..plain.clone() });
        if let (Some(tracked), Some(bias)) = (inputs.bias, &plain.bias) {
            let gradient = tracked.grad(&gradients).map(|gradient| gradient.to_vec().unwrap());
            check(gradient, &|i, step| Inputs { bias: Some(nudged(bias, i, step)), ..plain.clone() });
        }
    }
}

/// The tensor with `step` added to its element `i`.
fn nudged<const D: usize>(tensor: &Tensor<D>, i: usize, step: f64) -> Tensor<D> {
    let mut values = tensor.to_vec::<f64>().unwrap();
    values[i] += step;
    Tensor::from_values(values, tensor.shape(), &tensor.device())
}

#[test]
#[should_panic(
    expected = "FusedOps::matmul_add_relu: shapes [2, 4] and [3] do not fit: the bias has one element for each column of the product"
)]
fn a_bias_of_another_length_is_refused() {
    let inputs = Inputs::new([2, 3, 4], false, &cpu());
    Inputs { bias: Some(numbers([3], 0.0, &cpu())), ..inputs }.fused();
}

#[test]
#[should_panic(expected = "FusedOps::matmul_add_relu: shapes [2, 3] and [2, 4] do not fit")]
fn sides_that_do_not_meet_are_refused() {
    let inputs = Inputs::new([2, 3, 4], true, &cpu());
    Inputs { rhs: numbers([2, 4], 0.0, &cpu()), ..inputs }.fused();
}

#[test]
#[should_panic(expected = "element types f64 and f32 differ; cast one of the tensors")]
fn mixed_element_types_are_refused() {
    let inputs = Inputs::new([2, 3, 4], true, &cpu());
    Inputs { rhs: inputs.rhs.clone().cast(DType::F32), ..inputs }.fused();
}
