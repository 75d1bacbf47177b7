//! Ops that a user declares, with formulas, refusals and mistakes.

use opswitch::{
    Autodiff, AutodiffOps as _, DType, Dispatch, FloatTensor, PlainBackend, backend_extension,
    ops::{CoreOps, FloatOps},
};
use opswitch_cpu::Cpu;

use super::{assert_close, backward, constant, grad, sum, tracked, values};

#[backend_extension(dispatch = opswitch::Dispatch)]
pub(super) trait ScaleOps: CoreOps {
    /// `x * factor`, differentiable in x alone.
    #[backward {
        x => B::float_mul(grad, factor);
        factor => none;
    }]
    fn scale(x: FloatTensor<Self>, factor: FloatTensor<Self>) -> FloatTensor<Self>;

    /// x rounded; nothing is differentiable.
    #[backward(none)]
    fn snap(x: FloatTensor<Self>, grid: FloatTensor<Self>) -> FloatTensor<Self>;

    /// x² / 2, with a formula that calls an op without a gradient.
    #[backward {
        x => B::float_mul(grad, B::snap(x.clone(), x));
    }]
    fn half_square(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The formula gives a sum instead of a vector.
    #[backward {
        x => B::float_sum(B::float_mul(grad, x), &[0], false);
    }]
    fn wrong_shape(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The formula gives a narrower type.
    #[backward {
        x => B::float_cast(grad, DType::F16);
    }]
    fn wrong_type(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The formula gives one gradient for all.
    #[backward {
        tensors => vec![grad];
    }]
    fn wrong_count(tensors: Vec<FloatTensor<Self>>) -> FloatTensor<Self>;

    /// The formula reads one gradient of two.
    #[backward {
        x => grad;
    }]
    fn wrong_results(x: FloatTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>) {
        (x.clone(), x)
    }

    /// max(lhs rhs + bias, 0), with a statement that the formulas share.
    #[backward {
        let masked = B::relu_backward(output, grad);
        lhs  => B::float_matmul(masked.clone(), B::float_transpose(rhs));
        rhs  => B::float_matmul(B::float_transpose(lhs), masked.clone());
        bias => B::float_sum_to(masked, bias.shape());
    }]
    fn matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self>;
}

impl ScaleOps for Cpu {
    fn scale(x: FloatTensor<Self>, factor: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_mul(x, factor)
    }

    fn snap(x: FloatTensor<Self>, grid: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_mul(Self::float_round(Self::float_div(x, grid.clone())), grid)
    }

    fn half_square(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_mul_scalar(Self::float_square(x), 0.5)
    }

    fn wrong_shape(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    fn wrong_type(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }

    fn wrong_count(tensors: Vec<FloatTensor<Self>>) -> FloatTensor<Self> {
        tensors.into_iter().reduce(Self::float_add).expect("a tensor")
    }

    fn matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self> {
        let product = Self::float_matmul(lhs, rhs);
        Self::relu(match bias {
            Some(bias) => Self::float_add(product, bias),
            None => product,
        })
    }
}

/// An op without `#[backward]`, so that its autodiff implementation is written by hand.
#[backend_extension(dispatch = opswitch::Dispatch)]
pub(super) trait QuantizeOps: FloatOps {
    /// x rounded, with the gradient of x (a straight-through estimator, Bengio et al. 2013).
    fn straight_through(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl QuantizeOps for Cpu {
    fn straight_through(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_round(x)
    }
}

impl<B: QuantizeOps + PlainBackend> QuantizeOps for Autodiff<B> {
    fn straight_through(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let rounded = Self::constant_of(B::straight_through(x.inner().clone()), &x);
        Self::float_add(x.clone(), Self::float_sub(rounded, x.detach()))
    }
}

trait ConstantOf: opswitch::Backend {
    type Plain;

    /// `value` on the device of `like`.
    fn constant_of(value: Self::Plain, like: &FloatTensor<Self>) -> FloatTensor<Self>;
}

impl<B: PlainBackend> ConstantOf for Autodiff<B> {
    type Plain = FloatTensor<B>;

    fn constant_of(value: FloatTensor<B>, like: &FloatTensor<Self>) -> FloatTensor<Self> {
        opswitch::AutodiffTensor::constant(value, like.device().checkpointing())
    }
}

#[test]
fn an_implementation_for_autodiff_may_be_written_by_hand() {
    let x = tracked(&[0.4, 1.6], &[2]);
    let y = Dispatch::straight_through(x.clone());
    assert_eq!(values(&y), [0.0, 2.0]);
    let y = Dispatch::float_mul(y, constant(&[10.0, 20.0], &[2]));
    assert_eq!(grad(&x, &backward(&sum(y))), [10.0, 20.0]);
    assert!(!Dispatch::is_tracked(&Dispatch::straight_through(constant(&[0.4], &[1]))));
}

/// The gradients of lhs, rhs and bias by hand: the mask of the relu, then those of a product and a sum.
#[test]
fn formulas_share_statements_and_skip_what_is_not_there() {
    let lhs = tracked(&[1.0, -2.0, 0.5, 3.0], &[2, 2]);
    let rhs = tracked(&[0.5, -1.0, 2.0, 0.25], &[2, 2]);
    let bias = tracked(&[0.25, 2.0], &[2]);
    // lhs rhs + bias = [-3.25, 0.5; 6.5, 2.25]
    let y = Dispatch::matmul_add_relu(lhs.clone(), rhs.clone(), Some(bias.clone()));
    assert_close(&values(&y), &[0.0, 0.5, 6.5, 2.25], 1e-12);
    let gradients = backward(&sum(y));
    assert_close(&grad(&lhs, &gradients), &[-1.0, 0.25, -0.5, 2.25], 1e-12);
    assert_close(&grad(&rhs, &gradients), &[0.5, 1.5, 3.0, 1.0], 1e-12);
    assert_close(&grad(&bias, &gradients), &[1.0, 2.0], 1e-12);

    // lhs rhs = [-3.5, -1.5; 6.25, 0.25]
    let y = Dispatch::matmul_add_relu(lhs.clone(), rhs, None);
    assert_close(&values(&y), &[0.0, 0.0, 6.25, 0.25], 1e-12);
    assert_close(&grad(&lhs, &backward(&sum(y))), &[0.0, 0.0, -0.5, 2.25], 1e-12);
}

#[test]
fn a_formula_runs_only_for_a_tracked_input() {
    // The formula of `lhs` would fail if it ran: it has the wrong shape.
    let x = constant(&[1.0, 2.0], &[2]);
    let w = tracked(&[3.0, 4.0], &[2]);
    let y = Dispatch::float_mul(Dispatch::wrong_shape(x), w.clone());
    assert_eq!(grad(&w, &backward(&sum(y))), [1.0, 2.0]);
}
