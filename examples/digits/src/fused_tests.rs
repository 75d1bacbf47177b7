//! The fused op on every backend, against the built-in ops; and what it refuses.

use opswitch::{DType, Dispatch, DispatchDevice, FloatTensor, Tensor, ops::FloatOps};
use opswitch_testing::{FloatInput, Sample, conformance, float, floats, sample};

use crate::fused::FusedOps;

type Inputs = (FloatInput, FloatInput, Option<FloatInput>);

conformance!(
    Dispatch,
    FusedOps::matmul_add_relu(lhs, rhs, bias),
    samples(),
    reference = |lhs, rhs, bias| { unfused(lhs, rhs, bias) }
);

/// An `[m, k]` times a `[k, n]` product. About half of the results are let through by the `ReLU`.
fn product(m: usize, k: usize, n: usize) -> Sample<Inputs> {
    sample!(float([m, k]), float([k, n]), Some(float([n])))
}

fn samples() -> Vec<Sample<Inputs>> {
    let nan = floats([1.0, 2.0, f64::NAN, 0.5, -3.0, -4.0], [3, 2]);
    vec![
        product(1, 1, 1).named("one element"),
        product(4, 3, 5).named("a few elements").values_only_in([DType::F16, DType::BF16]),
        product(130, 9, 11).named("blocks of rows, the last one smaller").values_only().as_given(),
        product(130, 128, 64).named("blocks on several cores").values_only().as_given(),
        sample!(nan, float([2, 4]), Some(float([4]))).named("a row that is not a number").values_only(),
    ]
}

/// The same of built-in ops.
fn unfused(
    lhs: FloatTensor<Dispatch>,
    rhs: FloatTensor<Dispatch>,
    bias: Option<FloatTensor<Dispatch>>,
) -> FloatTensor<Dispatch> {
    let product = Dispatch::float_matmul(lhs, rhs);
    Dispatch::relu(match bias {
        Some(bias) => Dispatch::float_add(product, bias),
        None => product,
    })
}

fn fused(lhs: Tensor<2>, rhs: Tensor<2>, bias: Option<Tensor<1>>) -> Tensor<2> {
    let bias = bias.map(Tensor::into_primitive);
    Tensor::from_primitive(Dispatch::matmul_add_relu(lhs.into_primitive(), rhs.into_primitive(), bias))
}

fn ones<const D: usize>(shape: [usize; D]) -> Tensor<D> {
    let cpu: DispatchDevice = "cpu".parse().unwrap();
    Tensor::ones(shape, &cpu)
}

#[test]
#[should_panic(
    expected = "FusedOps::matmul_add_relu: shapes [2, 4] and [3] do not fit: the bias has one element for each column of the product"
)]
fn a_bias_of_another_length_is_refused() {
    fused(ones([2, 3]), ones([3, 4]), Some(ones([3])));
}

#[test]
#[should_panic(expected = "FusedOps::matmul_add_relu: shapes [2, 3] and [2, 4] do not fit")]
fn sides_that_do_not_meet_are_refused() {
    fused(ones([2, 3]), ones([2, 4]), None);
}

#[test]
#[should_panic(expected = "element types f32 and f64 differ; cast one of the tensors")]
fn mixed_element_types_are_refused() {
    fused(ones([2, 3]), ones([3, 4]).cast(DType::F64), None);
}
