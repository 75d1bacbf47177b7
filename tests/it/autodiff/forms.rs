//! Inputs and outputs that hold several tensors, or perhaps none.

use opswitch::{
    AutodiffOps as _, Backend, BackwardOptions, Bool, BoolTensor, DType, Device, Dispatch, DispatchError,
    DispatchTensor, ExtensionType, FloatTensor, IntTensor, TensorHandle as _, backend_extension,
    ops::{BoolOps as _, CoreOps, FloatOps as _, IntOps as _},
};
use opswitch_cpu::Cpu;

use super::{Float, assert_close, backward, constant, device, grad, grad_of, sum, tracked, values};

/// A mean and a spread that may be missing, with a label that carries no gradient.
#[derive(Clone, Debug, ExtensionType)]
pub(super) struct Belief<B: Backend> {
    pub(super) mean: FloatTensor<B>,
    pub(super) spread: Option<FloatTensor<B>>,
    pub(super) label: IntTensor<B>,
    pub(super) name: &'static str,
}

/// One way to give a number, or another.
#[derive(Clone, Debug, ExtensionType)]
pub(super) enum Amount<B: Backend> {
    Whole(FloatTensor<B>),
    Parts { numerator: FloatTensor<B>, denominator: FloatTensor<B> },
    Nothing,
}

#[backend_extension(dispatch = opswitch::Dispatch)]
pub(super) trait FormOps: CoreOps {
    /// `x * scale + shift`
    #[backward {
        x => match scale {
            Some(scale) => B::float_mul(grad, scale),
            None => grad,
        };
        scale => B::float_mul(grad, x);
        shift => grad;
    }]
    fn affine(
        x: FloatTensor<Self>,
        scale: Option<FloatTensor<Self>>,
        shift: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self>;

    /// Σ weight tensor
    #[backward {
        tensors => weights.iter().map(|&weight| B::float_mul_scalar(grad.clone(), weight)).collect();
    }]
    fn weighted_sum(tensors: Vec<FloatTensor<Self>>, weights: &[f64]) -> FloatTensor<Self>;

    /// (lhs rhs, lhs / rhs)
    #[backward {
        pair => {
            let (lhs, rhs) = pair;
            let quotient = B::float_div(grads.1, rhs.clone());
            let lhs_grad = B::float_add(B::float_mul(grads.0.clone(), rhs.clone()), quotient.clone());
            let of_product = B::float_mul(grads.0, lhs.clone());
            let rhs_grad = B::float_sub(of_product, B::float_div(B::float_mul(quotient, lhs), rhs));
            (lhs_grad, rhs_grad)
        };
    }]
    fn product_and_quotient(
        pair: (FloatTensor<Self>, FloatTensor<Self>),
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The tensors exchanged, the first of them doubled.
    #[backward {
        tensors => {
            let [first, second] = grads;
            [second, B::float_mul_scalar(first, 2.0)]
        };
    }]
    fn exchange(tensors: [FloatTensor<Self>; 2]) -> [FloatTensor<Self>; 2];

    /// The mean squared, the spread doubled; the label stays.
    #[backward {
        belief => Belief {
            mean: B::float_mul(grads.mean, B::float_mul_scalar(belief.mean, 2.0)),
            spread: grads.spread.map(|spread| B::float_mul_scalar(spread, 2.0)),
            label: belief.label,
            name: belief.name,
        };
    }]
    fn update(belief: Belief<Self>) -> Belief<Self>;

    /// The number that is meant.
    #[backward {
        amount => match amount {
            Amount::Whole(_) => Amount::Whole(grad),
            Amount::Parts { numerator, denominator } => {
                let share = B::float_div(grad, denominator.clone());
                let slope = B::float_neg(B::float_div(numerator, denominator));
                Amount::Parts { numerator: share.clone(), denominator: B::float_mul(share, slope) }
            }
            Amount::Nothing => Amount::Nothing,
        };
    }]
    fn number(amount: Amount<Self>, otherwise: &Device<Self>) -> FloatTensor<Self>;

    /// The square root, or an error that says which element has none.
    #[backward {
        x => B::float_div(grad, B::float_mul_scalar(output, 2.0));
    }]
    fn checked_sqrt(x: FloatTensor<Self>) -> Result<FloatTensor<Self>, RootError>;

    /// The elements and where they are positive.
    #[backward {
        x => B::float_mul_scalar(grads.0, 3.0);
    }]
    fn tripled_and_sign(x: &FloatTensor<Self>) -> (FloatTensor<Self>, BoolTensor<Self>);

    /// x² after a while.
    #[backward {
        x => B::float_mul(grad, B::float_mul_scalar(x, 2.0));
    }]
    async fn square_later(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum RootError {
    Negative,
    Dispatch(DispatchError),
}

impl From<DispatchError> for RootError {
    fn from(error: DispatchError) -> Self {
        Self::Dispatch(error)
    }
}

impl FormOps for Cpu {
    fn affine(
        x: FloatTensor<Self>,
        scale: Option<FloatTensor<Self>>,
        shift: Option<FloatTensor<Self>>,
    ) -> FloatTensor<Self> {
        let scaled = scale.into_iter().fold(x, Self::float_mul);
        shift.into_iter().fold(scaled, Self::float_add)
    }

    fn weighted_sum(tensors: Vec<FloatTensor<Self>>, weights: &[f64]) -> FloatTensor<Self> {
        let terms =
            tensors.into_iter().zip(weights).map(|(tensor, &weight)| Self::float_mul_scalar(tensor, weight));
        terms.reduce(Self::float_add).expect("a tensor")
    }

    fn product_and_quotient(
        pair: (FloatTensor<Self>, FloatTensor<Self>),
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let (lhs, rhs) = pair;
        (Self::float_mul(lhs.clone(), rhs.clone()), Self::float_div(lhs, rhs))
    }

    fn exchange([first, second]: [FloatTensor<Self>; 2]) -> [FloatTensor<Self>; 2] {
        [Self::float_mul_scalar(second, 2.0), first]
    }

    fn update(belief: Belief<Self>) -> Belief<Self> {
        Belief {
            mean: Self::float_square(belief.mean),
            spread: belief.spread.map(|spread| Self::float_mul_scalar(spread, 2.0)),
            ..belief
        }
    }

    fn number(amount: Amount<Self>, otherwise: &Device<Self>) -> FloatTensor<Self> {
        match amount {
            Amount::Whole(number) => number,
            Amount::Parts { numerator, denominator } => Self::float_div(numerator, denominator),
            Amount::Nothing => Self::float_zeros([].into(), DType::F64, otherwise),
        }
    }

    fn checked_sqrt(x: FloatTensor<Self>) -> Result<FloatTensor<Self>, RootError> {
        let dims: Vec<usize> = (0..x.shape().rank()).collect();
        let negative = Self::bool_any(Self::float_lt_scalar(x.clone(), 0.0), &dims, false);
        let negative = Self::bool_into_data_blocking(negative).expect("the CPU gives its data");
        if negative.to_vec::<bool>() == [true] { Err(RootError::Negative) } else { Ok(Self::float_sqrt(x)) }
    }

    fn tripled_and_sign(x: &FloatTensor<Self>) -> (FloatTensor<Self>, BoolTensor<Self>) {
        (Self::float_mul_scalar(x.clone(), 3.0), Self::float_gt_scalar(x.clone(), 0.0))
    }

    async fn square_later(x: FloatTensor<Self>) -> FloatTensor<Self> {
        std::future::ready(Self::float_square(x)).await
    }
}

#[test]
fn an_option_has_a_gradient_where_it_is_there() {
    let (x, scale, shift) = (tracked(&[2.0], &[]), tracked(&[3.0], &[]), tracked(&[4.0], &[]));
    let y = Dispatch::affine(x.clone(), Some(scale.clone()), Some(shift.clone()));
    assert_eq!(values(&y), [10.0]);
    let gradients = backward(&y);
    assert_eq!(
        [grad(&x, &gradients), grad(&scale, &gradients), grad(&shift, &gradients)],
        [[3.0], [2.0], [1.0]]
    );

    let y = Dispatch::affine(x.clone(), None, Some(shift.clone()));
    let gradients = backward(&y);
    assert_eq!([grad(&x, &gradients), grad(&shift, &gradients)], [[1.0], [1.0]]);

    let y = Dispatch::affine(constant(&[2.0], &[]), Some(scale.clone()), None);
    assert_eq!(grad(&scale, &backward(&y)), [2.0]);
    let y = Dispatch::affine(constant(&[2.0], &[]), None, None);
    assert!(!Dispatch::is_tracked(&y));
}

#[test]
fn a_list_has_a_gradient_for_each_tracked_tensor() {
    let (first, second) = (tracked(&[2.0, 3.0], &[2]), tracked(&[5.0, 7.0], &[2]));
    let between = constant(&[1.0, 1.0], &[2]);
    let tensors = vec![first.clone(), between.clone(), second.clone(), first.clone()];
    let y = Dispatch::weighted_sum(tensors, &[10.0, 100.0, 1000.0, 1.0]);
    let gradients = backward(&sum(y));
    assert_eq!(grad(&first, &gradients), [11.0, 11.0]);
    assert_eq!(grad(&second, &gradients), [1000.0, 1000.0]);
    assert!(grad_of(&between, &gradients).is_none());
}

#[test]
fn a_tuple_has_gradients_from_either_result_or_both() {
    let (lhs, rhs) = (tracked(&[3.0], &[]), tracked(&[2.0], &[]));
    let walk = |use_both: bool| {
        let (product, quotient) = Dispatch::product_and_quotient((lhs.clone(), rhs.clone()));
        let y = if use_both { Dispatch::float_add(product, quotient) } else { quotient };
        let gradients = backward(&y);
        [grad(&lhs, &gradients), grad(&rhs, &gradients)]
    };
    assert_eq!(walk(true), [[2.5], [2.25]]);
    assert_eq!(walk(false), [[0.5], [-0.75]]);
}

#[test]
fn a_result_of_a_tuple_is_accumulated_where_it_is_used_twice() {
    let (lhs, rhs) = (tracked(&[3.0], &[]), tracked(&[2.0], &[]));
    let (product, _) = Dispatch::product_and_quotient((lhs.clone(), rhs));
    let y = Dispatch::float_mul(product.clone(), product);
    // d(lhs rhs)²/d lhs
    assert_eq!(grad(&lhs, &backward(&y)), [24.0]);
}

#[test]
fn gradients_of_a_result_can_be_kept() {
    let (lhs, rhs) = (tracked(&[3.0], &[]), tracked(&[2.0], &[]));
    let (product, quotient) = Dispatch::product_and_quotient((lhs.clone(), rhs));
    let quotient = super::require_grad(quotient);
    let y = Dispatch::float_add(Dispatch::float_mul_scalar(quotient.clone(), 4.0), product.clone());
    let gradients = backward(&y);
    assert_eq!((grad(&quotient, &gradients), grad(&lhs, &gradients)), (vec![4.0], vec![4.0]));
    assert!(grad_of(&product, &gradients).is_none());
}

#[test]
fn an_array_has_an_array_of_gradients() {
    let (first, second) = (tracked(&[3.0], &[]), tracked(&[2.0], &[]));
    let [doubled, same] = Dispatch::exchange([first.clone(), second.clone()]);
    assert_eq!((values(&doubled), values(&same)), (vec![4.0], vec![3.0]));
    let y = Dispatch::float_add(Dispatch::float_mul_scalar(doubled, 10.0), same);
    let gradients = backward(&y);
    assert_eq!((grad(&first, &gradients), grad(&second, &gradients)), (vec![1.0], vec![20.0]));
}

fn belief(mean: Float, spread: Option<Float>) -> Belief<Dispatch> {
    let label = Dispatch::int_full([1].into(), 7, DType::I64, &device());
    Belief { mean, spread, label, name: "test" }
}

#[test]
fn a_struct_has_a_struct_of_gradients() {
    let (mean, spread) = (tracked(&[3.0], &[]), tracked(&[2.0], &[]));
    let after = Dispatch::update(belief(mean.clone(), Some(spread.clone())));
    let label = Dispatch::int_into_data_blocking(after.label.clone()).expect("the CPU gives its data");
    assert_eq!((label.to_vec::<i64>(), after.name), (vec![7], "test"));
    let spread_after = after.spread.expect("the spread stays");
    let y = Dispatch::float_add(after.mean, Dispatch::float_mul_scalar(spread_after, 10.0));
    assert_eq!(values(&y), [49.0]);
    let gradients = backward(&y);
    assert_eq!((grad(&mean, &gradients), grad(&spread, &gradients)), (vec![6.0], vec![20.0]));
}

#[test]
fn a_struct_with_one_float_is_the_node_of_its_op() {
    let mean = tracked(&[3.0], &[]);
    let after = Dispatch::update(belief(mean.clone(), None));
    assert!(after.spread.is_none());
    assert_eq!(grad(&mean, &backward(&after.mean)), [6.0]);
}

#[test]
fn a_variant_has_the_gradients_of_its_fields() {
    let (numerator, denominator) = (tracked(&[3.0], &[]), tracked(&[2.0], &[]));
    let parts = Amount::Parts { numerator: numerator.clone(), denominator: denominator.clone() };
    let y = Dispatch::number(parts, &device());
    let gradients = backward(&y);
    assert_eq!((grad(&numerator, &gradients), grad(&denominator, &gradients)), (vec![0.5], vec![-0.75]));
    let y = Dispatch::number(Amount::Whole(numerator.clone()), &device());
    assert_eq!(grad(&numerator, &backward(&y)), [1.0]);
    let y = Dispatch::number(Amount::Nothing, &device());
    assert!(!Dispatch::is_tracked(&y) && values(&y) == [0.0]);
}

#[test]
fn a_result_has_a_gradient_if_it_is_there() {
    let x = tracked(&[4.0, 9.0], &[2]);
    let y = Dispatch::checked_sqrt(x.clone()).expect("both have a root");
    assert_close(&grad(&x, &backward(&sum(y))), &[0.25, 1.0 / 6.0], 1e-12);
    let error = Dispatch::checked_sqrt(tracked(&[-1.0], &[1])).expect_err("no root");
    assert_eq!(error, RootError::Negative);
}

#[test]
fn a_borrowed_tensor_has_a_gradient() {
    let x = tracked(&[4.0, -9.0], &[2]);
    let (tripled, positive): (Float, DispatchTensor<Bool>) = Dispatch::tripled_and_sign(&x);
    let positive = Dispatch::bool_into_data_blocking(positive).expect("the CPU gives its data");
    assert_eq!(positive.to_vec::<bool>(), [true, false]);
    let seed = constant(&[1.0, 10.0], &[2]);
    let gradients =
        Dispatch::backward(tripled, Some(seed), BackwardOptions::default()).expect("a seed that fits");
    assert_eq!(grad(&x, &gradients), [3.0, 30.0]);
}

#[test]
fn an_asynchronous_op_has_a_gradient() {
    let x = tracked(&[3.0], &[]);
    let y = pollster::block_on(Dispatch::square_later(x.clone()));
    assert_eq!(grad(&x, &backward(&y)), [6.0]);
}
